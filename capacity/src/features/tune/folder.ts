import { trialSchema, tuneSchema, type TrialRecord, type TuneRecord } from './record.js';
import { TrialsFolder } from '../trial/folder.js';

/** The folder of a run of `tune`. */
export class TuneFolder extends TrialsFolder<TuneRecord, TrialRecord> {
  constructor(path: string) {
    super(path, { command: 'tune', record: tuneSchema, trial: trialSchema });
  }
}
