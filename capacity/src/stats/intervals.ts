import { sum } from 'simple-statistics';
import { betaQuantile } from './beta.js';

/** Requests that a meaningful percentile needs at least. */
export const MIN_SAMPLES = 20;

/** 95th percentile of the standard normal. */
export const Z95 = 1.645;

/** Upper bound of a rate of `failures` among `trials`, at 95 % confidence: Clopper and Pearson 1934, one-sided. */
export function upperBound95(failures: number, trials: number): number {
  if (trials === 0 || failures >= trials) return 1;
  return betaQuantile(0.95, failures + 1, trials - failures);
}

/** Number of requests without a failure that proves "fewer than `rate` fail" at 95 % confidence; 0 if no number does (rates 0, 1). */
export function samplesToClaim(rate: number): number {
  return rate <= 0 || rate >= 1 ? 0 : Math.ceil(Math.log(0.05) / Math.log(1 - rate));
}

/** Nearest-rank percentile of sorted values, `p` between 0 and 1: one of the values; NaN without any. */
export function percentile(sorted: ArrayLike<number>, p: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)]!;
}

/** Lower bound of a rate of `failures` among `trials`, at 95 % confidence: Clopper and Pearson 1934, one-sided. */
export function lowerBound95(failures: number, trials: number): number {
  return failures === 0 ? 0 : betaQuantile(0.05, failures, trials - failures + 1);
}

/** Number of groups of seconds whose counts are compared. */
const BATCHES = 20;

/**
 * The factor, at least 1, by which to divide the number of requests behind a bound, because they are not independent: a slow
 * moment makes many answers slow. It is the variance between batches of neighbouring seconds, divided by that of independent
 * requests (batch means: Law and Kelton, Simulation Modeling and Analysis, 2000, section 9.5.3).
 * @param counts for each second, the number of requests (`of`) and how many of them are counted (`seen`)
 */
export function clusteringFactor(counts: { seen: number; of: number }[]): number {
  const size = Math.max(1, Math.ceil(counts.length / BATCHES));
  const batches = Array.from({ length: Math.floor(counts.length / size) }, (_, i) => {
    const part = counts.slice(i * size, (i + 1) * size);
    return { seen: sum(part.map((c) => c.seen)), of: sum(part.map((c) => c.of)) };
  }).filter(({ of }) => of > 0);
  const [seen, of] = [sum(batches.map((b) => b.seen)), sum(batches.map((b) => b.of))];
  const share = seen / of;
  if (batches.length < 2 || share === 0 || share === 1) return 1;
  const expected = batches.map((b) => (b.seen - share * b.of) ** 2 / (b.of * share * (1 - share)));
  return Math.max(1, sum(expected) / (batches.length - 1));
}
