import type { Verdict } from '../../../model/verdict.js';
import type { Quantity, UpgradeFinding } from '../record.js';

/** What is compared between two versions. */
export const QUANTITY_WORDS: Record<Quantity, string> = {
  throughput: 'Throughput',
  p95: 'p95 at the same rate',
  memory: 'Memory',
  start: 'Start of main',
};

/** What two versions differ in, in words. */
export const UPGRADE_WORDS: Record<UpgradeFinding, string> = {
  better: 'better',
  worse: 'worse',
  same: 'a tie',
  open: 'not decided',
};

/** The verdict on a difference between two versions. */
export const UPGRADE_VERDICTS: Record<UpgradeFinding, Verdict> = {
  better: 'PASS',
  worse: 'FAIL',
  same: 'PASS',
  open: 'INCONCLUSIVE',
};
