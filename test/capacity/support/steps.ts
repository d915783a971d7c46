import type { StepRecord } from '../../../capacity/src/model/step.js';

/** Changes to a step; those to its summary are merged with it. */
export type StepChanges = Partial<Omit<StepRecord, 'summary'>> & { summary?: Partial<StepRecord['summary']> };

const SECONDS = 10;
const WARMUP_SECONDS = 3;

/**
 * A step that holds: 10 s at 20/s, answered in 50 ms, everything completed. Requests and executions follow from the rate,
 * the latency of each second from the median.
 */
export function goodStep(changes: StepChanges = {}): StepRecord {
  const { rate = 20, index = 0, measuredFrom = 1_000_000, summary } = changes;
  const requests = Math.round(rate * SECONDS);
  const executions = Math.round(rate * (SECONDS + WARMUP_SECONDS));
  const latency = { p50: 0.05, p95: 0.12, p99: 0.2, max: 0.3 };
  const seconds = Array.from({ length: SECONDS }, (_, at) => ({
    at,
    sent: requests / SECONDS,
    answered: requests / SECONDS,
    failed: 0,
    p50: (summary?.latency?.p50 ?? latency.p50) + (at % 3) * 0.001,
  }));
  return {
    index,
    load: 'webhook-ack',
    rate,
    measuredFrom,
    measuredTo: measuredFrom + SECONDS * 1000,
    endedAt: measuredFrom + (SECONDS + 2) * 1000,
    k6: { exitCode: 0, cpuShare: 0.1, samples: `steps/${String(index).padStart(2, '0')}.csv.gz` },
    executions: { accepted: executions, completed: executions, failed: 0, drainSeconds: 0.1 },
    backlog: [1, 2, 1, 1, 2, 1, 2, 1, 1, 2].map((n, at) => ({ at, executions: n })),
    events: [],
    ...changes,
    summary: {
      offered: requests,
      answered: requests,
      failed: 0,
      failures: {},
      dropped: 0,
      latency,
      seconds,
      vusMost: 3,
      ...summary,
    },
  };
}
