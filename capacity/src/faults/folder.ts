import { faultsSchema, faultTrialSchema, type FaultsRecord, type FaultTrial } from '../model/faults.js';
import { markerOf, TrialsFolder } from '../trial/folder.js';

const COMMAND = 'faults';
/** The file that marks a folder as one of `faults`. */
export const FAULTS_FILE = markerOf(COMMAND);

/** The folder of a run of `faults`. */
export class FaultsFolder extends TrialsFolder<FaultsRecord, FaultTrial> {
  constructor(path: string) {
    super(path, { command: COMMAND, record: faultsSchema, trial: faultTrialSchema });
  }
}
