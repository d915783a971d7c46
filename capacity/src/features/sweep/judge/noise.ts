import type { Noise } from '../../../model/run.js';
import type { JudgedStep } from '../../../model/verdict.js';
import { sampleStandardDeviation } from 'simple-statistics';
import { studentT95 } from '../../../stats/linear.js';
import { isDisturbed } from '../../../judge/tried.js';
import { answeredRate } from '../../../judge/sustained.js';

/** Noise as a fraction if it was not measured (chosen). */
export const UNMEASURED_NOISE = 0.05;

/**
 * The largest fraction by which two measurements of the same quantity differ at 95 % confidence, from repeated measurements.
 * With log-normal errors, the difference of two logarithms over √2·s is Student's t with n − 1 degrees of freedom, so the
 * band is t·√2·s.
 * @param values at least two, above 0
 * @throws RangeError for fewer than two
 */
export function noiseBand(values: number[]): number {
  if (values.length < 2) throw new RangeError(`noise needs at least 2 measurements, not ${values.length}`);
  return Math.expm1(studentT95(values.length - 1) * Math.SQRT2 * sampleStandardDeviation(values.map(Math.log)));
}

/**
 * Noise from closed steps of one configuration with the same clients. Their throughput is continuous; a capacity is rounded
 * to the steps of its search.
 * @returns undefined unless at least two steps were judged
 */
export function computeNoise(steps: JudgedStep[]): Noise | undefined {
  const valid = steps.filter(({ step, judged }) => !isDisturbed({ step, judged }) && step.summary.answered > 0);
  if (valid.length < 2) return undefined;
  const p95 = valid.map(({ step }) => step.summary.latency?.p95 ?? 0);
  return {
    runs: valid.length,
    rate: noiseBand(valid.map(({ step }) => answeredRate(step))),
    ...(Math.min(...p95) > 0 && { latency: noiseBand(p95) }),
  };
}
