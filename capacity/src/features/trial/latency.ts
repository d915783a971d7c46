import { geometricMean } from 'simple-statistics';
import type { Plan } from '../../model/plan.js';

/** Share of the lowest throughput at which latencies are compared. All deployments sustain it easily. */
const RATE_SHARE = 0.5;
/** Requests that a p95 needs. */
const MIN_P95_REQUESTS = 200;

/**
 * The arrival rate at which the latencies of deployments are compared.
 * @param throughputs of each of the deployments, per second
 * @returns undefined where one has none
 */
export function latencyRate(throughputs: number[][]): number | undefined {
  if (throughputs.some((of) => of.length === 0)) return undefined;
  return Number((RATE_SHARE * Math.min(...throughputs.map((of) => geometricMean(of)))).toPrecision(2));
}

/** The plan with one step at an arrival rate, long enough for a p95. */
export const planAtRate = (plan: Plan, rate: number): Plan => ({
  ...plan,
  rates: { kind: 'rates', rates: [rate] },
  stepSeconds: Math.max(plan.stepSeconds, Math.ceil(MIN_P95_REQUESTS / rate)),
});
