import { percentile } from '../judge/statistics.js';
import type { LoadSecond, LoadSummary } from '../record/types.js';
import type { K6Samples, RequestSample } from './samples.js';

/**
 * Sums up the measured part of a step.
 * @param serviceSeconds what an answer takes by design, per workload; latencies are what is above it
 */
export function summarise(
  samples: K6Samples,
  serviceSeconds: Record<string, number>,
  measuredFrom: number,
): LoadSummary {
  const { measured } = samples;
  const overhead = (s: RequestSample) => Math.max(0, (s.endedAt - s.sentAt) / 1000 - (serviceSeconds[s.workload] ?? 0));
  const correct = measured.filter((s) => s.correct);
  const sorted = correct.map(overhead).sort((a, b) => a - b);
  const failures: Record<string, number> = {};
  for (const s of measured)
    if (!s.correct) failures[s.failure ?? 'unproved'] = (failures[s.failure ?? 'unproved'] ?? 0) + 1;
  return {
    offered: measured.length + samples.dropped,
    answered: correct.length,
    failed: measured.length - correct.length,
    failures,
    dropped: samples.dropped,
    latency:
      sorted.length === 0
        ? null
        : {
            p50: percentile(sorted, 0.5),
            p95: percentile(sorted, 0.95),
            p99: percentile(sorted, 0.99),
            max: sorted.at(-1)!,
          },
    seconds: bySecond(measured, overhead, measuredFrom),
    vusMost: samples.vusMost,
  };
}

/** Requests are put to the second in which they were sent: a slow answer belongs to the load that made it slow. */
function bySecond(
  measured: RequestSample[],
  overhead: (s: RequestSample) => number,
  measuredFrom: number,
): LoadSecond[] {
  const seconds = new Map<number, RequestSample[]>();
  for (const sample of measured) {
    const second = Math.max(0, Math.floor((sample.sentAt - measuredFrom) / 1000));
    const bucket = seconds.get(second);
    if (bucket) bucket.push(sample);
    else seconds.set(second, [sample]);
  }
  return [...seconds]
    .sort(([a], [b]) => a - b)
    .map(([at, bucket]) => {
      const latencies = bucket
        .filter((s) => s.correct)
        .map(overhead)
        .sort((a, b) => a - b);
      return {
        at,
        sent: bucket.length,
        answered: latencies.length,
        failed: bucket.length - latencies.length,
        ...(latencies.length > 0 && { p50: percentile(latencies, 0.5) }),
      };
    });
}
