import { formatNumber, formatRate } from '../core/formats.js';
import type { CapacityConfidence, JudgedStep, LoadVerdict, Reason, Tries } from '../model/verdict.js';
import { isDisturbed, isLosingExecutions } from './tried.js';

/** A verdict, and the same as a sentence. */
export type LoadConclusion = Pick<LoadVerdict, 'verdict' | 'conclusion' | 'failsAtAnyRate'>;

/** What the rates of a load's steps found; empty if they have none. `held` is proved; `likely` held above it. */
export type Found = Partial<CapacityConfidence> & { likely?: Tries; saturated?: number };

/**
 * The verdict on rates that were tried, by a search or as given: the highest that is proved to hold, and what broke the next.
 * @param least rate that must hold for a PASS; 0 if none was asked for, and the answer is the capacity
 * @param steps at least one
 */
export function concludeRates(
  least: number,
  steps: JudgedStep[],
  { held, likely, broken, saturated }: Found,
): LoadConclusion {
  const lossy = steps.find(isLosingExecutions);
  if (lossy) {
    const conclusion = `loses executions at ${formatNumber(lossy.step.rate!)}/s: ${why(lossy)}`;
    return { verdict: 'FAIL', conclusion, failsAtAnyRate: true };
  }
  const isUnclear = (s: JudgedStep) => isDisturbed(s) && !judgedAt(steps, s.step.rate);
  const unclear = steps.find(isUnclear);
  if (!held && !likely && !broken)
    return { verdict: 'INCONCLUSIVE', conclusion: `cannot judge: ${why(unclear ?? steps.at(-1)!)}` };
  const at = steps.filter((s) => broken && s.step.rate === broken.rate && !isDisturbed(s));
  const breaking = at.find((s) => s.judged.verdict === 'FAIL') ?? at.at(-1);
  const because = breaking ? `: ${joinReasons(telling(breaking.judged.reasons))}` : '';
  const most = saturated ? `and is saturated at ${formatRate(saturated)}` : 'and no step broke it';
  const fails = breaking?.judged.verdict === 'INCONCLUSIVE' ? 'does not prove' : 'breaks at';
  const limit = broken ? `${fails} ${tries(broken)}${because}` : most;
  if (broken && (held ?? likely ?? { rate: 0 }).rate < Math.max(least, Number.MIN_VALUE)) {
    // A higher rate that broke says nothing of the one that was asked for.
    const asked = broken.rate > least && steps.find((s) => s.step.rate === least && isUnclear(s));
    if (asked)
      return { verdict: 'INCONCLUSIVE', conclusion: `cannot judge ${formatNumber(least)}/s: ${why(asked)}; ${limit}` };
    const lower = held ? `, only ${tries(held)}` : '';
    return { verdict: 'FAIL', conclusion: `does not sustain ${formatNumber(broken.rate)}/s${lower}${because}` };
  }
  if (unclear && held && !broken && unclear.step.rate! > held.rate)
    return {
      verdict: 'INCONCLUSIVE',
      conclusion: `sustains ${formatNumber(held.rate)}/s; cannot judge higher rates: ${why(unclear)}`,
    };
  if (!held || held.rate < least)
    return {
      verdict: 'INCONCLUSIVE',
      conclusion: `cannot prove ${tries((likely ?? held)!)}: ${unproved(steps, (likely ?? held)!)}; ${limit}`,
    };
  return { verdict: least > 0 ? 'PASS' : 'CAPACITY', conclusion: `sustains ${tries(held)}, ${limit}` };
}

/** What the steps at a rate leave open. */
const unproved = (steps: JudgedStep[], { rate }: Tries): string => {
  const open = steps.filter((s) => s.step.rate === rate && s.judged.verdict === 'INCONCLUSIVE');
  return open.length > 0 ? why(open.at(-1)!) : 'the steps at this rate differ';
};

/** A rate, and how often it held if it was tried more than once. */
const tries = ({ rate, steps, sustained }: Tries): string =>
  `${formatNumber(rate)}/s${steps > 1 ? ` (held in ${sustained} of ${steps} steps)` : ''}`;

/** Why a step has its verdict, in one line. */
export const why = (s: JudgedStep): string => joinReasons(s.judged.reasons);

const joinReasons = (reasons: Reason[]): string => reasons.map((r) => r.text).join('; ');

/** Reasons without those that only say that a step was short, as most steps of a search are. */
export const telling = (reasons: Reason[]): Reason[] => reasons.filter((r) => r.code !== 'unproven' || r.unmet);

/** Whether some step at this rate was judged: a disturbed step that was repeated does not count. */
const judgedAt = (steps: JudgedStep[], rate: number | undefined) =>
  steps.some((s) => s.step.rate === rate && !isDisturbed(s));
