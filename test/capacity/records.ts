import type { StepRecord } from '../../capacity/src/model/step.js';
import type { DeploymentRecord, RunRecord } from '../../capacity/src/model/run.js';
import type { Plan } from '../../capacity/src/model/plan.js';

/** A step in which all is well: 20/s for 10 s, answered in 50 ms. */
export function goodStep(
  changes: Partial<Omit<StepRecord, 'summary'>> & { summary?: Partial<StepRecord['summary']> } = {},
): StepRecord {
  const seconds = Array.from({ length: 10 }, (_, at) => ({
    at,
    sent: 20,
    answered: 20,
    failed: 0,
    p50: 0.05 + (at % 3) * 0.001,
  }));
  return {
    index: 0,
    load: 'webhook-ack',
    rate: 20,
    measuredFrom: 1_000_000,
    measuredTo: 1_010_000,
    endedAt: 1_012_000,
    k6: { exitCode: 0, cpuShare: 0.1, samples: 'steps/00.csv.gz' },
    executions: { accepted: 260, completed: 260, failed: 0, drainSeconds: 0.1 },
    backlog: [1, 2, 1, 1, 2, 1, 2, 1, 1, 2].map((executions, at) => ({ at, executions })),
    events: [],
    ...changes,
    summary: {
      offered: 200,
      answered: 200,
      failed: 0,
      failures: {},
      dropped: 0,
      latency: { p50: 0.05, p95: 0.12, p99: 0.2, max: 0.3 },
      seconds,
      vusMost: 3,
      ...changes.summary,
    },
  };
}

/** The plan that such steps belong to. */
export function plan(changes: Partial<Plan> = {}): Plan {
  return {
    values: { files: [], set: [] },
    loads: [
      {
        name: 'webhook-ack',
        parts: [{ workload: 'webhook-ack', weight: 1 }],
        serviceSeconds: { 'webhook-ack': 0 },
        executionSeconds: { 'webhook-ack': 0 },
      },
    ],
    rates: { kind: 'search', start: 5, factor: 2, precision: 0.2, maxSteps: 10, lowest: 2 },
    slo: { p95: 0.8, p99: 2, errors: 0.01 },
    stepSeconds: 10,
    warmupSeconds: 3,
    drainSeconds: 30,
    timeoutSeconds: 60,
    scriptEnv: {},
    ...changes,
  };
}

/** One main with 1 CPU and 2 GiB. */
export function regular(changes: Partial<DeploymentRecord> = {}): DeploymentRecord {
  return {
    mode: 'regular',
    process: 'main',
    database: 'sqlite',
    limits: { enforced: true, detail: 'cgroup v1' },
    instances: [
      {
        name: 'main-0',
        component: 'main',
        limits: { cpuMillis: 1000, memoryBytes: 2 * 2 ** 30 },
        heapMiB: 1051,
        runnerHeapMiB: 517,
      },
    ],
    ...changes,
  };
}

/** A run's own record, as `validate` writes it. */
export const runRecord = (changes: Partial<RunRecord> = {}): RunRecord => ({
  tool: 'n8n-capacity validate',
  startedAt: '2026-11-20T10:00:00.000Z',
  plan: plan(),
  versions: { n8n: '2.41.1', k6: '2.2.0' },
  machine: { cpus: 2, memoryBytes: 8 * 2 ** 30, platform: 'linux x64' },
  deployment: regular(),
  ...changes,
});
