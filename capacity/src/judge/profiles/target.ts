import { format } from '../../core/formats.js';
import { errorsOf, proves, unproven, why } from '../conclusion.js';
import type { JudgeProfile } from '../profile.js';

/** A target: whether target × headroom was sustained, and whether the sample proves it. */
export const target: JudgeProfile<'target'> = {
  conclude({ rate, headroom }, steps, { slo }) {
    const last = steps.at(-1)!;
    const asked = `${format(rate)}/s with headroom ${headroom} (${format(rate * headroom)}/s)`;
    const { verdict } = last.judged;
    const seen = errorsOf([last]);
    if (verdict === 'PASS' && !proves(seen, slo))
      return { verdict: 'INCONCLUSIVE', conclusion: `cannot prove ${asked}: ${unproven(seen, slo)}` };
    const words = { PASS: 'sustains', FAIL: 'does not sustain', INCONCLUSIVE: 'cannot judge' };
    return { verdict, conclusion: `${words[verdict]} ${asked}${verdict === 'PASS' ? '' : `: ${why(last)}`}` };
  },
};
