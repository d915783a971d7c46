import { cumulativeStdNormalProbability, mean, median } from 'simple-statistics';

/** Values that a trend is computed from at most: with half a million pairs, more would show it no better. */
const MAX_TREND_VALUES = 1000;

/** Reduces a series to at most `most` values: the medians of groups of neighbours. */
export function condenseSeries(series: number[], most = MAX_TREND_VALUES): number[] {
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

/**
 * The trend of a series.
 * @param places of its values, as times; by default 0, 1, 2 …
 * @returns slope 0 and p-value 1 for fewer than 4 values, whose order may be chance
 */
export function estimateTrend(series: number[], places = series.map((_, i) => i)): Trend {
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
 * Factor, at least 1, by which autocorrelation increases the variance of Kendall's S. A queue that is long now is long a second
 * later. A test that assumes independent seconds would mistake its fluctuation for a trend. The factor is equation 9 of Hamed
 * and Rao 1998, over the autocorrelations of the ranks that are positive and significant at 95 %.
 */
function varianceInflation(series: number[]): number {
  const n = series.length;
  const ranks = rankValues(series);
  let sum = 0;
  for (let lag = 1; lag < n - 2; lag++) {
    const r = autocorrelation(ranks, lag);
    if (r > 1.96 / Math.sqrt(n)) sum += (n - lag) * (n - lag - 1) * (n - lag - 2) * r;
  }
  return 1 + (2 / (n * (n - 1) * (n - 2))) * sum;
}

/** Ranks from 1; equal values share their mean rank. */
function rankValues(series: number[]): number[] {
  const sorted = [...series].sort((a, b) => a - b);
  return series.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1);
}

function autocorrelation(series: number[], lag: number): number {
  const centre = mean(series);
  let [shared, total] = [0, 0];
  for (let i = 0; i < series.length; i++) {
    total += (series[i]! - centre) ** 2;
    if (i >= lag) shared += (series[i]! - centre) * (series[i - lag]! - centre);
  }
  return total === 0 ? 0 : shared / total;
}
