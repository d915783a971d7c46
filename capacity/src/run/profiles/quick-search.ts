import type { Tried } from '../../judge/search.js';
import { HOLD_SECONDS, type RatesOf } from '../../model/plan.js';
import { QUICK_PRECISION } from '../../plan/rates.js';
import type { Pace } from './pace.js';

/** Whether a rough answer is enough, which takes less time. */
export const isQuick = ({ precision }: Pick<RatesOf<'search'>, 'precision'>): boolean => precision >= QUICK_PRECISION;

/** Rounded to two digits, the first rate is still within the precision of the upper end. */
const WITHIN = 0.9;
/** Factors by which the rate goes down from each rate that did not hold. */
const FACTORS_DOWN = [1.15, 1.3, 2];

/**
 * How a quick search goes on from the upper end of the capacity: the highest rate within the precision below it is held for a
 * minute at once, and lower ones if it does not hold. Short steps would say little so close to the upper end: whether a minute
 * holds there is chance in much of its range.
 * @param most requests that the saturated deployment answers, per second
 */
export function quickPace(most: number, { precision }: Pick<RatesOf<'search'>, 'precision'>): Pace {
  const upper: Tried = { rate: most, sustained: false, clear: true };
  return {
    start: most,
    factor: (tried) => {
      const broken = new Set(tried.filter((t) => !t.sustained).map((t) => t.rate)).size;
      return broken === 0 ? 1 + WITHIN * precision : (FACTORS_DOWN[broken - 1] ?? FACTORS_DOWN.at(-1)!);
    },
    seconds: () => HOLD_SECONDS,
    // A rate that fails is not tried again: the answer is then lower by one step at most.
    seen: (tried) => [upper, ...tried.map((t) => ({ ...t, clear: true }))],
  };
}
