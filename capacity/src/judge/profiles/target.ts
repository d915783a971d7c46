import { formatNumber } from '../../core/formats.js';
import { why } from '../conclusion.js';
import type { JudgeProfile } from '../profile.js';

/** A target: whether its steps prove together that target × headroom was sustained. */
export const target: JudgeProfile<'target'> = {
  conclude({ rate, headroom }, steps, { held, broken }) {
    const asked = `${formatNumber(rate)}/s with headroom ${headroom} (${formatNumber(rate * headroom)}/s)`;
    if (held) return { verdict: 'PASS', conclusion: `sustains ${asked}` };
    const failing = steps.find((s) => s.judged.verdict === 'FAIL');
    if (broken && failing) return { verdict: 'FAIL', conclusion: `does not sustain ${asked}: ${why(failing)}` };
    return { verdict: 'INCONCLUSIVE', conclusion: `cannot judge ${asked}: ${why(steps.at(-1)!)}` };
  },
};
