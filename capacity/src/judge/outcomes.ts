import type { Plan } from '../model/plan.js';
import type { JudgedStep } from '../model/verdict.js';
import { collectTries } from './tried.js';

/** Whether a deployment sustained a rate; `open` if its steps do not decide. */
type RateOutcome = 'held' | 'broken' | 'open';

/** Failures of a rate after which it is broken, although chance may explain each of them. */
export const MOST_FAILURES = 2;

/**
 * Judges each rate that one deployment was tried at. A rate held if its steps prove every objective and most of them sustained it.
 * It broke if one step failed by more than chance explains, or if at least two steps and half of all failed.
 * @param steps of one load
 */
export function judgeOutcomes(steps: JudgedStep[], plan: Pick<Plan, 'slo' | 'rates'>): Map<number, RateOutcome> {
  const tried = collectTries(steps, plan);
  const outcome = (rate: number): RateOutcome => {
    const tries = tried.filter((t) => t.rate === rate);
    const failed = tries.filter((t) => !t.sustained);
    if (failed.some((t) => t.clear) || (failed.length >= MOST_FAILURES && 2 * failed.length >= tries.length))
      return 'broken';
    return tries.at(-1)?.proved && 2 * failed.length < tries.length ? 'held' : 'open';
  };
  const rates = steps.flatMap(({ step }) => (step.rate === undefined ? [] : [step.rate]));
  return new Map([...new Set(rates)].map((rate) => [rate, outcome(rate)]));
}
