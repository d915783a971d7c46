import { median } from 'simple-statistics';
import { mebibytes } from '../../core/formats.js';
import type { Component } from '../../model/events.js';
import type { DeploymentRecord } from '../../model/run.js';
import type { InstanceSample, Sample } from '../../model/sample.js';
import type { Usage } from '../usage.js';
import type { Limit, LimitCandidate } from './limit.js';

/** A CPU limit counts as reached above this share; the scheduler never grants all of it. */
const CPU_REACHED = 0.9;
/** n8n runs a process's JavaScript on one thread, Redis its commands; only that thread can be full. */
const CORES_OF_ONE_THREAD = 1;
/** Event-loop lag in seconds; the chart's alert (monitoring.rules.eventLoopLagMilliseconds) uses the same value. */
const EVENT_LOOP_LAG_REACHED = 0.5;
/** Resident memory above this share of the limit leaves no room for the next large execution. */
const MEMORY_REACHED = 0.95;
/** V8 spends ever more time on garbage collection when live objects take more than this share of the heap. */
const HEAP_REACHED = 0.8;

type Instance = DeploymentRecord['instances'][number];

const CPU_LIMITS: Record<Component, Limit> = {
  main: 'main-cpu',
  worker: 'worker-cpu',
  webhook: 'webhook-cpu',
  postgresql: 'database',
  redis: 'redis',
};

/** CPU, event loop, heap and memory of each instance that was observed. */
export const instanceCandidates = (
  { instances }: DeploymentRecord,
  window: Sample[],
  usage: ReadonlyMap<string, Usage>,
): LimitCandidate[] =>
  instances.flatMap((instance) => {
    const seen = window.flatMap((s) => s.instances.filter((i) => i.name === instance.name && i.processes > 0));
    const used = usage.get(instance.name);
    if (!used || seen.length === 0) return [];
    return [
      ...cpu(instance, used),
      ...(isN8n(instance) ? [...eventLoop(instance, seen), ...heap(instance, seen), ...memory(instance, used)] : []),
    ];
  });

/** PostgreSQL's resident memory counts shared pages once per process, so only n8n's is compared with its limit. */
const isN8n = ({ component }: Instance) => component === 'main' || component === 'worker' || component === 'webhook';

function cpu({ name, component, limits }: Instance, { meanCores }: Usage): LimitCandidate[] {
  const limit = limits.cpuMillis === undefined ? undefined : limits.cpuMillis / 1000;
  // PostgreSQL runs a process per connection: without a limit, its useful number of cores is unknown.
  if (limit === undefined && component === 'postgresql') return [];
  const isOneThread = component !== 'postgresql' && (limit ?? Number.POSITIVE_INFINITY) > CORES_OF_ONE_THREAD;
  const full = (limit ?? CORES_OF_ONE_THREAD) * CPU_REACHED;
  const reached = meanCores >= (isOneThread ? CORES_OF_ONE_THREAD * CPU_REACHED : full);
  const used = `${name} used ${meanCores.toFixed(2)} cores${limit === undefined ? '' : ` of ${limit}`}`;
  const evidence = reached && meanCores < full ? `${used}, and one thread can use ${CORES_OF_ONE_THREAD}` : used;
  const share = Math.min(1, meanCores / (limit ?? CORES_OF_ONE_THREAD));
  return [{ limit: CPU_LIMITS[component], instance: name, component, evidence, share, reached }];
}

function eventLoop({ name, component }: Instance, seen: InstanceSample[]): LimitCandidate[] {
  const lags = seen.flatMap((i) => i.eventLoopLagP99Seconds ?? []);
  if (lags.length === 0) return [];
  const lag = median(lags);
  const evidence = `${name}'s event loop lagged by ${Math.round(lag * 1000)} ms (99th percentile, median over the step)`;
  const share = Math.min(1, lag / EVENT_LOOP_LAG_REACHED);
  return [{ limit: 'event-loop', instance: name, component, evidence, share, reached: share >= 1 }];
}

/** Live objects are what garbage collection left: the lowest heap of the step. */
function heap({ name, component, heapMiB }: Instance, seen: InstanceSample[]): LimitCandidate[] {
  const alive = Math.min(...seen.flatMap((i) => i.heapUsedBytes ?? []));
  if (heapMiB === undefined || !Number.isFinite(alive)) return [];
  const share = Math.min(1, alive / (heapMiB * 2 ** 20));
  const evidence = `${name} always held at least ${mebibytes(alive)} MiB in a heap of ${heapMiB} MiB`;
  return [{ limit: 'heap', instance: name, component, evidence, share, reached: share >= HEAP_REACHED }];
}

function memory({ name, component, limits: { memoryBytes } }: Instance, { peakRssBytes }: Usage): LimitCandidate[] {
  if (memoryBytes === undefined) return [];
  const share = Math.min(1, peakRssBytes / memoryBytes);
  const evidence = `${name} peaked at ${mebibytes(peakRssBytes)} MiB under a limit of ${mebibytes(memoryBytes)} MiB`;
  return [{ limit: 'memory', instance: name, component, evidence, share, reached: share >= MEMORY_REACHED }];
}
