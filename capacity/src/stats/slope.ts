import { mean, median } from 'simple-statistics';

/** A slope and its interval. The true slope is below `low`, and above `high`, each with the requested probability. */
export interface SlopeInterval {
  /** Median of the slopes between all pairs (Theil 1950, Sen 1968), in units of the series per unit of its places. */
  slope: number;
  low: number;
  high: number;
}

/** Values that an interval needs at least: fewer do not show how they depend on each other. */
const MIN_VALUES = 6;

/**
 * The slope of a short, autocorrelated series: Sen's interval (Sen 1968; Hollander and Wolfe 1999, section 9.3). The variance of
 * Kendall's S is multiplied by (1 + r) ÷ (1 − r), the ratio of values to effectively independent values in an autoregressive
 * series. Hamed and Rao's factor ignores insignificant autocorrelation: with it, the intervals of 20 values miss the slope five
 * times too often (test/capacity/stats/slope.test.ts).
 * @param z standard normal quantile of each bound: 1.96 for 2.5 %, 2.58 for 0.5 %
 * @returns infinite bounds if the series is too short
 */
export function estimateSlopeInterval(series: number[], places: number[], z: number): SlopeInterval {
  const n = series.length;
  if (n < MIN_VALUES) return { slope: 0, low: -Infinity, high: Infinity };
  const slopes: number[] = [];
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) slopes.push((series[j]! - series[i]!) / (places[j]! - places[i]!));
  slopes.sort((a, b) => a - b);
  const slope = median(slopes);
  const r = estimateAutocorrelation(series.map((value, i) => value - slope * places[i]!));
  const variance = ((n * (n - 1) * (2 * n + 5)) / 18) * ((1 + r) / (1 - r));
  const between = z * Math.sqrt(variance);
  const place = (slopes.length - between) / 2;
  return {
    slope,
    low: slopes[Math.floor(place)] ?? -Infinity,
    high: slopes[Math.ceil(slopes.length - place) - 1] ?? Infinity,
  };
}

/** Residual of an exact line relative to its values: a rounding error. */
const ROUNDING = 1e-9;
/** Largest autocorrelation: a series then has about a fortieth as many independent values. */
const MAX_AUTOCORRELATION = 0.95;

/**
 * Autocorrelation of neighbouring values of a detrended series, from 0 to 0.95. The plain estimate for a short series is too
 * small, on average by (2 + 4r) ÷ n after a fitted line (Tanaka 1984); this is added.
 */
function estimateAutocorrelation(series: number[]): number {
  const n = series.length;
  const centre = mean(series);
  let [shared, total] = [0, 0];
  const rounding = n * (ROUNDING * Math.max(...series.map(Math.abs))) ** 2;
  series.forEach((value, i) => {
    total += (value - centre) ** 2;
    if (i > 0) shared += (value - centre) * (series[i - 1]! - centre);
  });
  if (total <= rounding) return 0;
  return Math.min(MAX_AUTOCORRELATION, Math.max(0, ((shared / total) * n + 2) / (n - 4)));
}
