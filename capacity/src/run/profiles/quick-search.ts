import type { Saturated } from '../../judge/saturation.js';
import { roundedTo } from '../../judge/search.js';
import { HOLD_SECONDS, type RatesOf } from '../../model/plan.js';
import { QUICK_PRECISION } from '../../plan/rates.js';
import type { Search } from './search-steps.js';

/** Whether a rough answer is enough, which takes less time. */
export const isQuick = ({ precision }: Pick<RatesOf<'search'>, 'precision'>): boolean => precision >= QUICK_PRECISION;

/** Chosen: on two cores, ten searches proved 0.47 to 0.79 of what saturated n8n. Slow answers come in bursts, which count as few. */
const PROVED_SHARE = 0.6;
/** Factors by which the rate goes down from each rate that is not proved; the last one from then on. */
const FACTORS_DOWN = [1.2, 1.5, 2];
/** If the first rate holds, so many times as much is tried for a while (chosen). */
const FACTOR_UP = 1.4;
const UP_SECONDS = 20;
/** The rates are rounded as those of a search with this precision. */
const ROUNDED = 0.1;

/**
 * Finds about what a saturated deployment sustains. It gets no more through than its clients did: that is the upper end. The
 * rate that is most often proved is held for a minute at once, and lower ones until one is proved. If the first one is, a short
 * step above it may lower the upper end.
 */
export async function quickSearch(search: Search, { least }: Saturated): Promise<void> {
  let rate = Math.max(search.lowest, roundedTo(PROVED_SHARE * least, ROUNDED));
  for (let fails = 0; rate >= search.lowest; fails++) {
    await search.hold(rate, HOLD_SECONDS);
    if (fails === 0 && search.isProved()) await search.take(roundedTo(FACTOR_UP * rate, ROUNDED), UP_SECONDS);
    if (search.isOver()) return;
    rate = roundedTo(rate / (FACTORS_DOWN[fails] ?? FACTORS_DOWN.at(-1)!), ROUNDED);
  }
}
