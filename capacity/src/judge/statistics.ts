import betaQuantile from '@stdlib/stats-base-dists-beta-quantile';
import { cumulativeStdNormalProbability, median } from 'simple-statistics';

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
export function percentile(sorted: number[], p: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)]!;
}

/** A trend in a series. */
export interface Trend {
  /** Median of the slopes between all pairs (Theil 1950, Sen 1968), in units of the series per unit of its places. */
  slope: number;
  /** Two-sided p-value of "there is no trend" (Mann 1945, Kendall 1975, normal approximation). */
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
  const variance = (n * (n - 1) * (2 * n + 5)) / 18;
  const z = s === 0 ? 0 : (s - Math.sign(s)) / Math.sqrt(variance);
  return { slope: median(slopes), pValue: 2 * (1 - cumulativeStdNormalProbability(Math.abs(z))) };
}
