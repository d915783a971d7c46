import type { Verdict } from '../../../model/verdict.js';
import type { Finding } from '../record.js';

/** Words for the finding on a change. */
export const FINDING_WORDS: Record<Finding, string> = {
  more: 'more',
  less: 'less',
  none: 'no effect',
  noGain: 'no gain',
  open: 'not decided',
  fails: 'fails',
};

/** The verdict on a change of a setting. */
export const FINDING_VERDICTS: Record<Finding, Verdict> = {
  more: 'PASS',
  less: 'FAIL',
  none: 'INCONCLUSIVE',
  noGain: 'INCONCLUSIVE',
  open: 'INCONCLUSIVE',
  fails: 'FAIL',
};
