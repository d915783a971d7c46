import type { LoadSummary } from '../model/step.js';
import { Requests } from './requests.js';
import type { K6Samples } from './samples.js';

/**
 * Sums up the measured part of a step whose samples are in memory.
 * @param serviceSeconds what an answer takes by design, per workload; latencies are what is above it
 */
export function summarise(
  { measured, dropped, vusMost }: K6Samples,
  serviceSeconds: Record<string, number>,
  measuredFrom: number,
): LoadSummary {
  const requests = new Requests(serviceSeconds);
  for (const sample of measured) requests.add(sample, true);
  Object.assign(requests, { dropped, vusMost });
  return requests.summary(measuredFrom);
}
