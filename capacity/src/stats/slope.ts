import { mean, median } from 'simple-statistics';

/** A slope and what it may be: it is below `low`, and above `high`, each with the probability that was asked for. */
export interface SlopeInterval {
  /** Median of the slopes between all pairs (Theil 1950, Sen 1968), in units of the series per unit of its places. */
  slope: number;
  low: number;
  high: number;
}

/** Fewer values tell nothing of how they depend on each other. */
const LEAST_VALUES = 6;

/**
 * The slope of a short series that may depend on itself: Sen's interval (Sen 1968; Hollander and Wolfe 1999, section 9.3) with
 * the variance of Kendall's S multiplied by (1 + r) ÷ (1 − r), as for a series of as many independent values as an
 * autoregressive one is worth. Hamed and Rao's factor, which leaves insignificant autocorrelation out, makes the intervals of
 * 20 values miss the slope five times too often (test/capacity/stats/slope.test.ts).
 * @param z standard normal quantile of each bound: 1.96 for 2.5 %, 2.58 for 0.5 %
 * @returns infinite bounds where the series is too short for them
 */
export function slopeInterval(series: number[], places: number[], z: number): SlopeInterval {
  const n = series.length;
  if (n < LEAST_VALUES) return { slope: 0, low: -Infinity, high: Infinity };
  const slopes: number[] = [];
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) slopes.push((series[j]! - series[i]!) / (places[j]! - places[i]!));
  slopes.sort((a, b) => a - b);
  const slope = median(slopes);
  const r = autoregression(series.map((value, i) => value - slope * places[i]!));
  const variance = ((n * (n - 1) * (2 * n + 5)) / 18) * ((1 + r) / (1 - r));
  const between = z * Math.sqrt(variance);
  const place = (slopes.length - between) / 2;
  return {
    slope,
    low: slopes[Math.floor(place)] ?? -Infinity,
    high: slopes[Math.ceil(slopes.length - place) - 1] ?? Infinity,
  };
}

/** What is left of an exact line, relative to its values. */
const ROUNDING = 1e-9;
/** The series is not worth fewer than a fortieth of its values. */
const MOST_AUTOREGRESSION = 0.95;

/**
 * Autocorrelation of a detrended series with the value before, from 0 to 0.95. Of a short series it comes out too small, on
 * average by (2 + 4r) ÷ n after a fitted line (Tanaka 1984); this is added.
 */
function autoregression(series: number[]): number {
  const n = series.length;
  const centre = mean(series);
  let [shared, total] = [0, 0];
  const rounding = n * (ROUNDING * Math.max(...series.map(Math.abs))) ** 2;
  series.forEach((value, i) => {
    total += (value - centre) ** 2;
    if (i > 0) shared += (value - centre) * (series[i - 1]! - centre);
  });
  if (total <= rounding) return 0;
  return Math.min(MOST_AUTOREGRESSION, Math.max(0, ((shared / total) * n + 2) / (n - 4)));
}
