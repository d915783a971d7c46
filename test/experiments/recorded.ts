import type { CellRecord } from '../../experiments/src/record/schema.js';

/** A recorded cell; `given` replaces the properties that a test is about. */
export const createCellRecord = (given: Partial<CellRecord>): CellRecord => ({
  id: 'cell',
  part: 'control',
  of: {},
  digest: JSON.stringify([given.part, given.of]),
  startedAt: '2026-11-20T10:00:00.000Z',
  tookSeconds: 20,
  machine: {
    cpus: 2,
    memoryBytes: 8 * 2 ** 30,
    kernel: '6.1',
    processor: 'a processor',
    sharing: 'k6 and all that it drove shared 2 cores',
  },
  versions: { n8n: '2.41.1', k6: '2.2.0', node: '24.21.0' },
  limits: 'enforced (cgroup v1)',
  events: [],
  processes: [],
  pods: [],
  ...given,
});

/** Load figures of a closed loop of 10 s. */
export const closedLoad = (count: number, failed = 0): NonNullable<CellRecord['load']> => ({
  answered: count,
  failed,
  failures: failed > 0 ? { 'HTTP 500': failed } : {},
  dropped: 0,
  latency: { p50: 0.01, p95: 0.05, p99: 0.9, max: 1 },
  clients: 8,
  seconds: 10,
  serviceSeconds: 0,
  executions: null,
  k6CpuShare: 0.25,
});

export const EXPERIMENTS = [
  'defaults',
  'execution-process',
  'heap-size',
  'load-balancing',
  'memory-over-time',
  'overload',
  'process-scaling',
  'queue-mode',
  'right-size',
];
