import { defineRecord } from '../../record/folder.js';
import { TrialsFolder } from '../trial/folder.js';
import { trialSchema, tuneSchema, type TrialRecord, type TuneRecord } from './record.js';

const TUNE = defineRecord('tune', tuneSchema);

/** The folder of a run of `tune`. */
export class TuneFolder extends TrialsFolder<TuneRecord, TrialRecord> {
  constructor(path: string) {
    super(path, TUNE, trialSchema);
  }
}
