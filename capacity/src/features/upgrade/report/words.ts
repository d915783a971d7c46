import type { Verdict } from '../../../model/verdict.js';
import type { Quantity, UpgradeFinding } from '../record.js';

/** Names of the compared quantities. */
export const QUANTITY_WORDS: Record<Quantity, string> = {
  throughput: 'Throughput',
  p95: 'p95 at the same rate',
  memory: 'Memory',
  start: 'Start of main',
};

/** Words for the finding on a quantity. */
export const UPGRADE_WORDS: Record<UpgradeFinding, string> = {
  better: 'better',
  worse: 'worse',
  same: 'a tie',
  open: 'not decided',
};

/** The verdict that a finding is shown as. */
export const UPGRADE_VERDICTS: Record<UpgradeFinding, Verdict> = {
  better: 'PASS',
  worse: 'FAIL',
  same: 'PASS',
  open: 'INCONCLUSIVE',
};
