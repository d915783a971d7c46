import type { Verdict } from '../../../model/verdict.js';
import type { ConfirmTry } from '../record.js';

/** What a fresh deployment showed of a rate, in words. */
export const OUTCOME_WORDS: Record<ConfirmTry['outcome'], string> = {
  held: 'held',
  broken: 'broken',
  open: 'not decided',
};

/** The verdict on what a fresh deployment showed. */
export const OUTCOME_VERDICTS: Record<ConfirmTry['outcome'], Verdict> = {
  held: 'PASS',
  broken: 'FAIL',
  open: 'INCONCLUSIVE',
};
