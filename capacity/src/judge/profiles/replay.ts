import { formatRate } from '../../core/formats.js';
import { why } from '../conclusion.js';
import type { JudgeProfile } from '../profile.js';

/** A replay: whether the recorded arrivals, times a factor, were sustained. */
export const replay: JudgeProfile<'replay'> = {
  conclude({ rate, busiest, times }, [step], { held }) {
    const asked = `the recorded arrivals × ${times} (${formatRate(rate)} on average, ${formatRate(busiest)} in the busiest 10 s)`;
    if (held) return { verdict: 'PASS', conclusion: `sustains ${asked}` };
    if (step.judged.verdict === 'FAIL')
      return { verdict: 'FAIL', conclusion: `does not sustain ${asked}: ${why(step)}` };
    return { verdict: 'INCONCLUSIVE', conclusion: `cannot judge ${asked}: ${why(step)}` };
  },
};
