import type { Limit, LimitCandidate } from './limit.js';
import { mebibytes, percent } from '../core/formats.js';
import type { StepRecord } from '../model/step.js';
import type { DeploymentRecord } from '../model/run.js';
import type { Component, InstanceEvent } from '../model/events.js';
import type { InstanceSample, Sample } from '../model/sample.js';
import { median } from 'simple-statistics';
import { databaseCandidates } from './database.js';
import { isDisturbance } from './disturbances.js';
import { GENERATOR_CPU_SHARE } from './step.js';
import { usageBetween, type Usage } from './usage.js';

export interface Bottleneck {
  /** The likeliest cause first; those that are not reached follow, the fullest first. */
  candidates: LimitCandidate[];
  /** One sentence without a full stop: the first candidate, or that nothing measured is at its limit. */
  text: string;
}

/** Above it a limit of CPU counts as reached; the scheduler never hands out all of it. */
const CPU_REACHED = 0.9;
/** n8n runs a process's JavaScript on one thread, Redis its commands; other threads can use more, so that it only may be full. */
const CORES_OF_ONE_THREAD = 1;
const SLOTS_REACHED = 0.9;
/** Seconds in which an event loop came to nothing else; the chart's alert (monitoring.rules.eventLoopLagMilliseconds) says the same. */
const EVENT_LOOP_LAG_REACHED = 0.5;
/** Resident memory beyond this share of the limit leaves no room for the next large execution. */
const MEMORY_REACHED = 0.95;
/** V8 collects ever harder when what is alive takes more than this share of its heap. */
const HEAP_REACHED = 0.8;

const BEFORE_DEATH_MS = 30_000;

const LIMIT_NAMES: Record<Limit, string> = {
  'main-cpu': "main's CPU",
  'worker-cpu': "the workers' CPU",
  'webhook-cpu': "the webhook processors' CPU",
  database: 'the database',
  'database-connections': 'the connections to the database',
  redis: 'Redis',
  slots: 'the slots for executions',
  'event-loop': 'the event loop',
  memory: 'memory',
  heap: "V8's heap",
  generator: 'the load generator',
  'task-runner': 'the task runner',
  probe: 'a probe',
  crash: 'a crash',
};

/** Which limit comes first when several are reached: what ended a process, what spoils the measurement, what is full, busy, slow. */
const ORDER: Record<Exclude<Limit, 'task-runner' | 'probe' | 'crash'>, number> = {
  generator: 1,
  'database-connections': 1.5,
  slots: 2,
  'main-cpu': 3,
  'worker-cpu': 3,
  'webhook-cpu': 3,
  database: 3,
  redis: 3,
  'event-loop': 4,
  heap: 5,
  memory: 6,
};

/**
 * What limits a deployment in the steps that broke, most likely first.
 * @param steps the breaking step of a load, or the tries of it; the fullest of each limit counts
 * @param samples those of the run; only those within the steps are read. Without any, deaths, slots and generator remain
 */
export function findBottleneck(deployment: DeploymentRecord, steps: StepRecord[], samples: Sample[]): Bottleneck {
  const fullest = new Map<string, LimitCandidate>();
  for (const candidate of steps.flatMap((step) => measure(deployment, step, samples))) {
    const key = `${candidate.limit} ${candidate.instance} ${candidate.event?.reason ?? candidate.event?.kind}`;
    const known = fullest.get(key);
    if (!known || candidate.share > known.share) fullest.set(key, candidate);
  }
  const candidates = ranked([...fullest.values()]);
  return { candidates, text: conclusion(candidates[0]) };
}

function measure(deployment: DeploymentRecord, step: StepRecord, samples: Sample[]): LimitCandidate[] {
  const usage = usageBetween(samples, step.measuredFrom, step.measuredTo);
  const window = samples.filter((s) => s.at >= step.measuredFrom && s.at <= step.measuredTo);
  const slots = deployment.mode === 'queue' ? queueSlots(deployment, step, samples) : ownSlots(deployment, step);
  return [
    ...step.events
      .filter((e) => e.kind !== 'restarted' && !isDisturbance(e))
      .map((e) => death(e, deployment, lastUsage(e, step, samples))),
    ...generator(step),
    ...slots,
    ...databaseCandidates(deployment, step, window),
    ...deployment.instances.flatMap((instance) => {
      const seen = window.flatMap((s) => s.instances.filter((i) => i.name === instance.name && i.processes > 0));
      const used = usage.get(instance.name);
      if (!used || seen.length === 0) return [];
      return [
        ...cpu(instance, used),
        ...(isN8n(instance) ? [...eventLoop(instance, seen), ...memory(instance, used, seen)] : []),
      ];
    }),
  ];
}

/**
 * Full slots of busy workers are full because of the CPU: the CPU then comes first, and says so. Full slots of executions
 * that wait for a connection are full because of these; connections that a busy process holds are because of its CPU.
 */
function ranked(candidates: LimitCandidate[]): LimitCandidate[] {
  const slots = candidates.find((c) => c.limit === 'slots' && c.reached);
  const isBusy = candidates.some((c) => c.reached && BUSY.has(c.limit));
  const told = candidates.map((c) => {
    if (slots && c.limit === 'worker-cpu' && c.reached) {
      const evidence = `${slots.evidence}, and the workers' CPU was at its limit: ${c.evidence}`;
      return { ...c, order: ORDER.slots - 0.5, evidence };
    }
    if (isBusy && c.limit === 'database-connections') return { ...c, order: ORDER.database + 0.5 };
    return { ...c, order: c.event ? 0 : ORDER[c.limit as keyof typeof ORDER] };
  });
  return told
    .sort(
      (a, b) =>
        Number(b.reached) - Number(a.reached) ||
        (a.reached ? a.order - b.order : 0) ||
        (a.event ? 0 : b.share - a.share),
    )
    .map(({ order: _, ...candidate }) => candidate);
}

/** What explains connections that are all in use. */
const BUSY = new Set<Limit>(['main-cpu', 'worker-cpu', 'webhook-cpu', 'database']);

function conclusion(first: LimitCandidate | undefined): string {
  if (first?.reached) return `limited by ${LIMIT_NAMES[first.limit]}: ${first.evidence}`;
  const fullest = first
    ? `; the fullest is ${LIMIT_NAMES[first.limit]}, ${percent(first.share)} used: ${first.evidence}`
    : '';
  return `nothing measured is at its limit${fullest}`;
}

/** What it used up to its end, which a death in the warm-up puts before the measured part. */
const lastUsage = ({ instance, at }: InstanceEvent, step: StepRecord, samples: Sample[]): Usage | undefined =>
  usageBetween(samples, Math.min(step.measuredFrom, at - BEFORE_DEATH_MS), step.measuredTo).get(instance);

function death(event: InstanceEvent, deployment: DeploymentRecord, usage: Usage | undefined): LimitCandidate {
  const { instance, component } = event;
  const { limits, heapMiB } = deployment.instances.find((i) => i.name === instance) ?? { limits: {} };
  const under = limits.memoryBytes ? ` under a limit of ${mebibytes(limits.memoryBytes)} MiB` : '';
  const seen = usage ? `; ${instance} peaked at ${mebibytes(usage.peakRssBytes)} MiB${under}` : '';
  const ended = (limit: Limit, evidence: string): LimitCandidate => ({
    limit,
    instance,
    component,
    evidence,
    share: 1,
    reached: true,
    event,
  });
  if (event.reason === 'OOMKilled') return ended('memory', `the kernel killed it (OOMKilled)${seen}`);
  if (event.reason === 'V8HeapLimit') {
    return ended('heap', `V8 gave up at its heap limit${heapMiB ? ` of ${heapMiB} MiB` : ''}${seen}`);
  }
  if (event.kind === 'runner-died') return ended('task-runner', `the task runner of ${instance} ended under load`);
  if (event.reason === 'LivenessProbe' || event.kind === 'unready' || event.kind === 'probe-failed') {
    return ended('probe', `${instance} did not answer its probe in time (${event.detail})${seen}`);
  }
  return ended('crash', `${instance} ended by itself (${event.detail})${seen}`);
}

function generator({ k6 }: StepRecord): LimitCandidate[] {
  if (k6.cpuShare === null) return [];
  const evidence = `k6 used ${percent(k6.cpuShare)} of the machine's cores`;
  return [
    { limit: 'generator', evidence, share: Math.min(1, k6.cpuShare), reached: k6.cpuShare >= GENERATOR_CPU_SHARE },
  ];
}

/** Regular mode: executions.concurrencyLimit, which holds back what is under way. */
function ownSlots({ slots }: DeploymentRecord, step: StepRecord): LimitCandidate[] {
  if (slots === undefined) return [];
  const most = Math.max(0, ...step.backlog.map((b) => b.executions));
  const evidence = `up to ${most} executions were under way for ${slots} slots`;
  return [{ limit: 'slots', evidence, share: Math.min(1, most / slots), reached: most >= slots * SLOTS_REACHED }];
}

/** Queue mode: full slots limit nothing unless jobs wait for them. The drain counts: its jobs came in the step. */
function queueSlots({ slots }: DeploymentRecord, step: StepRecord, samples: Sample[]): LimitCandidate[] {
  const window = samples.filter((s) => s.at >= step.measuredFrom && s.at <= step.endedAt);
  const looks = window.flatMap((s) => s.queue ?? []);
  if (slots === undefined || looks.length === 0) return [];
  const active = Math.max(...looks.map((q) => q.active));
  const waiting = Math.max(...looks.map((q) => q.waiting));
  const reached = waiting > 0 && active >= slots * SLOTS_REACHED;
  const evidence = reached
    ? `all ${slots} slots were taken and up to ${waiting} jobs waited`
    : `up to ${active} of ${slots} slots were taken and up to ${waiting} jobs waited`;
  return [{ limit: 'slots', evidence, share: Math.min(1, active / slots), reached }];
}

type Recorded = DeploymentRecord['instances'][number];

const CPU_LIMITS: Record<Component, Limit> = {
  main: 'main-cpu',
  worker: 'worker-cpu',
  webhook: 'webhook-cpu',
  postgresql: 'database',
  redis: 'redis',
};

function cpu({ name, component, limits }: Recorded, { meanCores }: Usage): LimitCandidate[] {
  const limit = limits.cpuMillis === undefined ? undefined : limits.cpuMillis / 1000;
  // PostgreSQL has a process for each connection: nothing but its limit says how many cores it has use for.
  if (limit === undefined && component === 'postgresql') return [];
  const ofOneThread = component !== 'postgresql' && (limit ?? Number.POSITIVE_INFINITY) > CORES_OF_ONE_THREAD;
  const full = (limit ?? CORES_OF_ONE_THREAD) * CPU_REACHED;
  const reached = meanCores >= (ofOneThread ? CORES_OF_ONE_THREAD * CPU_REACHED : full);
  const used = `${name} used ${meanCores.toFixed(2)} cores${limit === undefined ? '' : ` of ${limit}`}`;
  const evidence = reached && meanCores < full ? `${used}, of which one thread can use ${CORES_OF_ONE_THREAD}` : used;
  const share = Math.min(1, meanCores / (limit ?? CORES_OF_ONE_THREAD));
  return [{ limit: CPU_LIMITS[component], instance: name, component, evidence, share, reached }];
}

function eventLoop({ name, component }: Recorded, seen: InstanceSample[]): LimitCandidate[] {
  const lags = seen.flatMap((i) => i.eventLoopLagP99Seconds ?? []);
  if (lags.length === 0) return [];
  const lag = median(lags);
  const evidence = `${name}'s event loop lagged by ${Math.round(lag * 1000)} ms (99th percentile, median of the step's seconds)`;
  const share = Math.min(1, lag / EVENT_LOOP_LAG_REACHED);
  return [{ limit: 'event-loop', instance: name, component, evidence, share, reached: share >= 1 }];
}

/** What is alive in the heap is what the collector left: the least of the step. */
function memory(
  { name, component, limits, heapMiB }: Recorded,
  usage: Usage,
  seen: InstanceSample[],
): LimitCandidate[] {
  const of = { instance: name, component };
  const found: LimitCandidate[] = [];
  const alive = Math.min(...seen.flatMap((i) => i.heapUsedBytes ?? []));
  if (heapMiB !== undefined && Number.isFinite(alive)) {
    const share = Math.min(1, alive / (heapMiB * 2 ** 20));
    const evidence = `${name} never held less than ${mebibytes(alive)} MiB in a heap of ${heapMiB} MiB`;
    found.push({ limit: 'heap', ...of, evidence, share, reached: share >= HEAP_REACHED });
  }
  if (limits.memoryBytes !== undefined) {
    const share = Math.min(1, usage.peakRssBytes / limits.memoryBytes);
    const evidence = `${name} peaked at ${mebibytes(usage.peakRssBytes)} MiB under a limit of ${mebibytes(limits.memoryBytes)} MiB`;
    found.push({ limit: 'memory', ...of, evidence, share, reached: share >= MEMORY_REACHED });
  }
  return found;
}

/** The resident memory of PostgreSQL's processes counts what they share once for each, so that only n8n's is compared. */
const isN8n = ({ component }: Recorded) => component === 'main' || component === 'worker' || component === 'webhook';
