import betaQuantile from '@stdlib/stats-base-dists-beta-quantile';

/** With fewer requests no percentile is meaningful. */
export const MIN_SAMPLES = 20;

/** Upper bound of a rate of `failures` among `trials`, at 95 % confidence: Clopper and Pearson 1934, one-sided. */
export function upperBound95(failures: number, trials: number): number {
  if (trials === 0 || failures >= trials) return 1;
  return betaQuantile(0.95, failures + 1, trials - failures);
}

/** Requests without a failure that prove "fewer than `rate` fail" at 95 % confidence; 0 if no number does (rates of 0 and 1). */
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
