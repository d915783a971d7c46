import type { Verdict } from '../../../model/verdict.js';
import type { ConfirmTry } from '../record.js';

/** Words for the outcome of a rate on a fresh deployment. */
export const OUTCOME_WORDS: Record<ConfirmTry['outcome'], string> = {
  held: 'held',
  broken: 'broken',
  open: 'not decided',
};

/** The verdict that an outcome is shown as. */
export const OUTCOME_VERDICTS: Record<ConfirmTry['outcome'], Verdict> = {
  held: 'PASS',
  broken: 'FAIL',
  open: 'INCONCLUSIVE',
};
