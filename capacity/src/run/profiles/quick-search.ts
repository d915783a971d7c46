import type { Saturated } from '../../judge/saturation.js';
import { roundedTo } from '../../judge/search.js';
import { HOLD_SECONDS, PERCENTILES, SHARE_ABOVE, type RatesOf, type Slo } from '../../model/plan.js';
import { QUICK_PRECISION } from '../../plan/rates.js';
import type { Search } from './search-steps.js';

/** Whether a rough answer is enough, which takes less time; a challenge asks for one rate, which a quick search may not try. */
export const isQuick = ({ precision, challenge }: RatesOf<'search'>): boolean =>
  challenge === undefined && precision >= QUICK_PRECISION;

/**
 * Variability of arrivals and service: half the sum of the squared coefficients of variation of the times between arrivals and
 * of the service times. Chosen: it gives about the highest rates that were proved on two cores, with Poisson arrivals.
 */
const VARIABILITY = 3.3;
/** Bounds of the share of what saturated n8n that is held first: the speed of a machine varies. */
const SHARE = { least: 0.5, most: 0.75 };
/** Factors by which the rate goes down from each rate that is not proved; the last one from then on. */
const FACTORS_DOWN = [1.2, 1.5, 2];
/** If the first rate holds, one above it is tried so long. */
const UP_SECONDS = 20;
/** The rates are rounded as those of a search with this precision. */
const ROUNDED = 0.1;

/**
 * Finds about what a saturated deployment sustains. It gets no more through than its clients did: that is the upper end. The
 * rate that is most often proved is held for a minute at once, and lower ones until one is proved. If the first one is, a short
 * step between it and the upper end may lower that.
 */
export async function quickSearch(search: Search, { least }: Saturated): Promise<void> {
  let rate = Math.max(search.lowest, roundedTo(likelyRate(least, search.slo), ROUNDED));
  for (let fails = 0; rate >= search.lowest; fails++) {
    await search.hold(rate, HOLD_SECONDS);
    const middle = roundedTo(Math.sqrt(rate * least), ROUNDED);
    if (fails === 0 && search.isProved() && middle > rate) await search.take(middle, UP_SECONDS);
    if (search.isOver()) return;
    rate = roundedTo(rate / (FACTORS_DOWN[fails] ?? FACTORS_DOWN.at(-1)!), ROUNDED);
  }
}

/**
 * The rate at which requests probably wait for no longer than the objectives allow. In heavy traffic their wait is exponential,
 * with the mean v ÷ (μ − λ): μ are served and λ arrive per second, v is the variability (Kingman, The single server queue in heavy
 * traffic, 1961). A share of e^−t waits for more than t times the mean.
 */
function likelyRate(saturated: number, slo: Slo): number {
  const gaps = PERCENTILES.map((p) => (VARIABILITY * -Math.log(SHARE_ABOVE[p])) / (slo[p] ?? Infinity));
  const likely = saturated - Math.max(...gaps);
  return Math.min(Math.max(likely, SHARE.least * saturated), SHARE.most * saturated);
}
