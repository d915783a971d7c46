import { faultsSchema, faultTrialSchema, type FaultsRecord, type FaultTrial } from './record.js';
import { TrialsFolder } from '../trial/folder.js';

/** The folder of a run of `faults`. */
export class FaultsFolder extends TrialsFolder<FaultsRecord, FaultTrial> {
  constructor(path: string) {
    super(path, { command: 'faults', record: faultsSchema, trial: faultTrialSchema });
  }
}
