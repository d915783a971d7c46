import betaQuantile from '@stdlib/stats-base-dists-beta-quantile';
import { cumulativeStdNormalProbability, median } from 'simple-statistics';

/** Below this number of requests no percentile means anything. */
export const MIN_SAMPLES = 20;

/** Upper bound of a rate of `failures` among `trials`, at 95 % confidence: Clopper and Pearson 1934, one-sided. */
export function upperBound95(failures: number, trials: number): number {
  if (trials === 0 || failures >= trials) return 1;
  return betaQuantile(0.95, failures + 1, trials - failures);
}

/** Requests without a failure that support the claim "fewer than `rate` fail" at 95 % confidence; none supports a rate of 0. */
export function samplesToClaim(rate: number): number {
  return rate <= 0 || rate >= 1 ? 0 : Math.ceil(Math.log(0.05) / Math.log(1 - rate));
}

/** Nearest-rank percentile of sorted values, `p` between 0 and 1: a value that did occur, the maximum in a small sample. */
export function percentile(sorted: ArrayLike<number>, p: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)]!;
}

/** Lower bound of a rate of `failures` among `trials`, at 95 % confidence: Clopper and Pearson 1934, one-sided. */
export function lowerBound95(failures: number, trials: number): number {
  return failures === 0 ? 0 : betaQuantile(0.05, failures, trials - failures + 1);
}

/** So many values show a trend as well as more do, and all pairs of them are half a million. */
const MOST_FOR_TREND = 1000;

/** A series with at most so many values: each the median of a group of neighbours, where there are more. */
export function condensed(series: number[], most = MOST_FOR_TREND): number[] {
  const group = Math.ceil(series.length / most);
  if (group <= 1) return series;
  return Array.from({ length: Math.ceil(series.length / group) }, (_, i) =>
    median(series.slice(i * group, (i + 1) * group)),
  );
}

/** A trend in a series. */
export interface Trend {
  /** Median of the slopes between all pairs (Theil 1950, Sen 1968), in units of the series per unit of its places. */
  slope: number;
  /** Two-sided p-value of "there is no trend" (Mann 1945, Kendall 1975, normal approximation; Hamed and Rao 1998). */
  pValue: number;
}

/** The trend of a series at its places (1, 2, 3 … unless said); a series under 4 values has none that could be told from noise. */
export function trend(series: number[], places = series.map((_, i) => i)): Trend {
  const n = series.length;
  if (n < 4) return { slope: 0, pValue: 1 };
  const slopes: number[] = [];
  let s = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      slopes.push((series[j]! - series[i]!) / (places[j]! - places[i]!));
      s += Math.sign(series[j]! - series[i]!);
    }
  }
  const slope = median(slopes);
  const detrended = series.map((value, i) => value - slope * places[i]!);
  const variance = ((n * (n - 1) * (2 * n + 5)) / 18) * varianceInflation(detrended);
  const z = s === 0 ? 0 : (s - Math.sign(s)) / Math.sqrt(variance);
  return { slope, pValue: 2 * (1 - cumulativeStdNormalProbability(Math.abs(z))) };
}

/**
 * By how much the variance of Kendall's S grows because neighbours in a series are alike: a queue that is long now is long
 * a second later, and its wandering looks like a trend to a test that takes seconds for independent. Hamed and Rao 1998,
 * equation 9, over the autocorrelations of the ranks that are positive and significant at 95 %; at least 1.
 */
function varianceInflation(series: number[]): number {
  const n = series.length;
  const ranks = ranksOf(series);
  let sum = 0;
  for (let lag = 1; lag < n - 2; lag++) {
    const r = autocorrelation(ranks, lag);
    if (r > 1.96 / Math.sqrt(n)) sum += (n - lag) * (n - lag - 1) * (n - lag - 2) * r;
  }
  return 1 + (2 / (n * (n - 1) * (n - 2))) * sum;
}

/** Ranks from 1; values that are equal share the mean of theirs. */
function ranksOf(series: number[]): number[] {
  const sorted = [...series].sort((a, b) => a - b);
  return series.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1);
}

function autocorrelation(series: number[], lag: number): number {
  const mean = series.reduce((sum, v) => sum + v, 0) / series.length;
  let [shared, total] = [0, 0];
  for (let i = 0; i < series.length; i++) {
    total += (series[i]! - mean) ** 2;
    if (i >= lag) shared += (series[i]! - mean) * (series[i - lag]! - mean);
  }
  return total === 0 ? 0 : shared / total;
}
