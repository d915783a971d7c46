import { defineRecord } from '../../record/folder.js';
import { TrialsFolder } from '../trial/folder.js';
import { faultsSchema, faultTrialSchema, type FaultsRecord, type FaultTrial } from './record.js';

const FAULTS = defineRecord('faults', faultsSchema);

/** The folder of a run of `faults`. */
export class FaultsFolder extends TrialsFolder<FaultsRecord, FaultTrial> {
  constructor(path: string) {
    super(path, FAULTS, faultTrialSchema);
  }
}
