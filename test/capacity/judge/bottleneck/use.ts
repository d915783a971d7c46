import type { DeploymentRecord } from '../../../../capacity/src/model/run.js';
import type { InstanceSample, Sample } from '../../../../capacity/src/model/sample.js';
import { regularDeployment } from '../../support/index.js';

export const GIB = 2 ** 30;

/** What an instance uses; what is not said is little. */
export interface Use {
  cores?: number;
  rss?: number;
  heap?: (second: number) => number;
  lag?: number;
  /** Cores of the main thread, and of n8n's process by its own metrics. */
  thread?: number;
  own?: number;
  /** Shares of the time. */
  gc?: number;
  majorGc?: number;
  cold?: number;
}

/** One sample a second of the step, in which each instance uses so much. */
export function samples(use: Record<string, Use>, queue?: Sample['queue'], from = 1_000_000): Sample[] {
  const instance = (name: string, use: Use, i: number): InstanceSample => {
    const { cores = 0.1, rss = GIB / 4, heap, lag, thread, own, gc, majorGc = 0, cold } = use;
    return {
      name,
      rssBytes: rss,
      cpuSeconds: 100 + cores * i,
      processes: 1,
      ...(heap && { heapUsedBytes: heap(i) }),
      ...(lag !== undefined && { eventLoopLagP99Seconds: lag }),
      ...(thread !== undefined && { threadCpuSeconds: 50 + thread * i }),
      ...(own !== undefined && { ownCpuSeconds: 60 + own * i }),
      ...(gc !== undefined && { inside: { gcSeconds: gc * i, majorGcSeconds: majorGc * i } }),
      ...(cold !== undefined && { inside: { isolates: 12 * i, coldIsolates: 6 * i, coldIsolateSeconds: cold * i } }),
    };
  };
  return Array.from({ length: 11 }, (_, i) => ({
    at: from + i * 1000,
    instances: Object.entries(use).map(([name, used]) => instance(name, used, i)),
    ...(queue && { queue }),
  }));
}

/** An instance of n8n, PostgreSQL or Redis with 1 GiB. */
export const instance = (
  name: string,
  component: 'main' | 'worker' | 'webhook' | 'postgresql' | 'redis',
  cpuMillis?: number,
) => ({
  name,
  component,
  limits: { ...(cpuMillis && { cpuMillis }), memoryBytes: GIB },
  ...(component === 'postgresql' || component === 'redis' ? {} : { heapMiB: 500 }),
});

/** Queue mode, one instance of each component. */
export const queue: DeploymentRecord = regularDeployment({
  mode: 'queue',
  database: 'postgresdb',
  slots: 10,
  instances: [
    instance('main-0', 'main', 1000),
    instance('worker-0', 'worker', 1000),
    instance('webhook-0', 'webhook', 500),
    instance('postgresql-0', 'postgresql', 2000),
    instance('redis-0', 'redis', 1000),
  ],
});

/** Every instance quiet, but for what is said. */
export const seen = (use: Record<string, Use> = {}, list = { waiting: 0, active: 2 }) =>
  samples({ 'main-0': {}, 'worker-0': {}, 'webhook-0': {}, 'postgresql-0': {}, 'redis-0': {}, ...use }, list);

/** All 10 slots are taken, and 20 jobs wait. */
export const full = { waiting: 20, active: 10 };
