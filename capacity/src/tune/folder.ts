import { trialSchema, tuneSchema, type TrialRecord, type TuneRecord } from '../model/tune.js';
import { markerOf, TrialsFolder } from '../trial/folder.js';

const COMMAND = 'tune';
/** The file that marks a folder as one of `tune`. */
export const TUNE = markerOf(COMMAND);

/** The folder of a run of `tune`. */
export class TuneFolder extends TrialsFolder<TuneRecord, TrialRecord> {
  constructor(path: string) {
    super(path, { command: COMMAND, record: tuneSchema, trial: trialSchema });
  }
}
