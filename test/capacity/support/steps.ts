import type { StepRecord } from '../../../capacity/src/model/step.js';

/** Changes to a step; those to its summary are merged with it. */
export type StepChanges = Partial<Omit<StepRecord, 'summary'>> & { summary?: Partial<StepRecord['summary']> };

/** Requests that prove an SLO of 1 % errors and a p99. */
const REQUESTS = 400;
const LEAST_SECONDS = 10;
const WARMUP_SECONDS = 3;

/**
 * A step that holds: at 20/s by default, answered in 50 ms, with every execution completed. It has enough requests to prove that.
 * Requests and executions follow from the rate, the latency of each second from the median.
 */
export function buildGoodStep(changes: StepChanges = {}): StepRecord {
  const { rate = 20, index = 0, measuredFrom = 1_000_000, summary } = changes;
  const length = Math.max(LEAST_SECONDS, Math.ceil(REQUESTS / Math.max(rate, 1)));
  const requests = Math.round(rate * length);
  const executions = Math.round(rate * (length + WARMUP_SECONDS));
  const latency = { p50: 0.05, p95: 0.12, p99: 0.2, max: 0.3 };
  const seconds = Array.from({ length }, (_, at) => ({
    at,
    sent: requests / length,
    answered: requests / length,
    failed: 0,
    p50: (summary?.latency?.p50 ?? latency.p50) + (at % 3) * 0.001,
  }));
  return {
    index,
    load: 'webhook-ack',
    rate,
    measuredFrom,
    measuredTo: measuredFrom + length * 1000,
    endedAt: measuredFrom + (length + 2) * 1000,
    k6: { exitCode: 0, cpuShare: 0.1, samples: `steps/${String(index).padStart(2, '0')}.csv.gz` },
    executions: { sent: executions, accepted: executions, completed: executions, failed: 0, drainSeconds: 0.1 },
    backlog: Array.from({ length }, (_, at) => ({ at, executions: 1 + (at % 2) })),
    events: [],
    ...changes,
    summary: {
      offered: requests,
      answered: requests,
      failed: 0,
      failures: {},
      dropped: 0,
      latency,
      // If other percentiles are given, the slow answers are derived from them.
      ...(!summary?.latency && { slow: {} }),
      seconds,
      vusMost: 3,
      ...summary,
    },
  };
}
