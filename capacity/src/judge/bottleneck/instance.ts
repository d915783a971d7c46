import { min } from 'simple-statistics';
import { toMebibytes, formatSeconds, formatPercent } from '../../core/formats.js';
import { runsN8n, type Component } from '../../model/events.js';
import type { DeploymentRecord } from '../../model/run.js';
import type { Sample } from '../../model/sample.js';
import type { Usage } from '../../observe/usage.js';
import type { Limit, LimitCandidate } from './limit.js';
import { MEMORY_SHARE } from '../memory.js';
import { observe, type Observed } from './observed.js';
import { threadCandidates } from './thread.js';

/** A CPU limit counts as reached above this share; the scheduler never grants all of it. */
const CPU_REACHED = 0.9;

/** Event-loop lag in seconds; the chart's alert (monitoring.rules.eventLoopLagMilliseconds) uses the same value. */
const EVENT_LOOP_LAG_REACHED = 0.5;

/** V8 spends ever more time on garbage collection when live objects take more than this share of the heap … */
const HEAP_REACHED = 0.8;

/** … or when collections of the old generation take more than this share of the time. */
const MAJOR_GC_REACHED = 0.25;

const CPU_LIMITS: Record<Component, Limit> = {
  main: 'main-cpu',
  worker: 'worker-cpu',
  webhook: 'webhook-cpu',
  postgresql: 'database',
  redis: 'redis',
};

/** CPU, thread, event loop, heap and memory of each instance that was observed. */
export const instanceCandidates = (
  deployment: DeploymentRecord,
  window: Sample[],
  usage: ReadonlyMap<string, Usage>,
): LimitCandidate[] =>
  deployment.instances.flatMap((instance) => {
    const observed = observe(instance, deployment, window, usage);
    return observed.seen.length === 0
      ? []
      : [
          ...cpu(observed),
          ...threadCandidates(observed),
          // PostgreSQL's resident memory counts shared pages once per process: only n8n's is compared with its limit.
          ...(runsN8n(instance.component) ? [...eventLoop(observed), ...heap(observed), ...memory(observed)] : []),
        ];
  });

/** The CPU limit of the container, which bounds n8n's process and its children together. */
function cpu({ name, component, limits, used }: Observed): LimitCandidate[] {
  if (limits.cpuMillis === undefined || !used) return [];
  const limit = limits.cpuMillis / 1000;
  const share = Math.min(1, used.meanCores / limit);
  const evidence = `${name} used ${used.meanCores.toFixed(2)} cores of ${limit}`;
  return [{ limit: CPU_LIMITS[component], instance: name, component, evidence, share, reached: share >= CPU_REACHED }];
}

function eventLoop({ name, component, lag }: Observed): LimitCandidate[] {
  if (lag === undefined) return [];
  const evidence = `${name}'s event loop lagged by ${formatSeconds(lag)} (99th percentile, median over the step)`;
  const share = Math.min(1, lag / EVENT_LOOP_LAG_REACHED);
  return [{ limit: 'event-loop', instance: name, component, evidence, share, reached: share >= 1 }];
}

/** Live objects are what garbage collection left: the lowest heap of the step. */
function heap({ name, component, heapMiB, inside: { majorGc = 0 }, seen }: Observed): LimitCandidate[] {
  const heaps = seen.flatMap((i) => i.heapUsedBytes ?? []);
  if (heapMiB === undefined || heaps.length === 0) return [];
  const alive = min(heaps);
  const share = Math.min(1, alive / (heapMiB * 2 ** 20));
  const collects = majorGc >= MAJOR_GC_REACHED;
  const time = collects
    ? `, and collected garbage of the old generation for ${formatPercent(majorGc)} of the time`
    : '';
  const evidence = `${name} always held at least ${toMebibytes(alive)} MiB in a heap of ${heapMiB} MiB${time}`;
  const reached = share >= HEAP_REACHED || collects;
  return [{ limit: 'heap', instance: name, component, evidence, share, reached }];
}

function memory({ name, component, limits: { memoryBytes }, used }: Observed): LimitCandidate[] {
  if (memoryBytes === undefined || used?.peakMemoryBytes === undefined) return [];
  const share = Math.min(1, used.peakMemoryBytes / memoryBytes);
  const evidence = `${name} peaked at ${toMebibytes(used.peakMemoryBytes)} MiB under a limit of ${toMebibytes(memoryBytes)} MiB`;
  return [{ limit: 'memory', instance: name, component, evidence, share, reached: share > MEMORY_SHARE }];
}
