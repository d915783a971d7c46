import { sum } from 'simple-statistics';
import { SQLITE_THREAD_SHARE } from '../../judge/bottleneck/thread.js';
import type { Component } from '../../model/events.js';
import { lineValueAt } from '../../stats/linear.js';
import { frontOf, queueModeRequestLimit, runnerOf, type Arrangement, type Pods } from './arrangement.js';
import { componentsOnPath, type LoadProfile } from './profile.js';
import type { Permit, Station, Tier } from './servers.js';
import type { Operation, System } from './simulate.js';

/** A resource, and the share of it that is used; at 1 it is full. */
export interface Share {
  resource: 'thread' | 'task-runner' | 'cpu' | 'machine' | 'slots' | 'requests' | 'memory';
  /** Undefined for the machine, which all share. */
  component?: Component;
  share: number;
}

/** Indexes in a tier's list of stations. */
const THREAD = 0;
const CHILD = 1;
/** Backends of PostgreSQL that work at once if nothing limits its cores. */
const MOST_BACKENDS = 64;
/** Factor by which an execution with SQLite holds the main thread for longer than it works: it also waits for the one writer. */
const SQLITE_FACTOR = 1 / SQLITE_THREAD_SHARE;
/** Smallest capacity of a resource, so that one that is full without load does not divide by zero. */
const LEAST_CAPACITY = 1e-6;

/** Builds the system to simulate: the arrangement with the costs of the profile at a rate. */
export function buildSystem(profile: LoadProfile, arrangement: Arrangement, rate: number): System {
  const components = knownComponents(profile, arrangement);
  const tiers = components.map(([component, pods]) => buildTier(profile, arrangement, component, pods));
  const shared = freeSharedCores(profile, arrangement, rate);
  const place = (component: Component) => components.findIndex(([c]) => c === component);
  return {
    tiers,
    path: buildPath(profile, arrangement, tiers, place),
    ...(shared !== undefined && { sharedCores: shared }),
    variation: profile.variation,
  };
}

/** The used shares of all resources but memory at a rate, by arithmetic. */
export function usedShares(profile: LoadProfile, arrangement: Arrangement, rate: number): Share[] {
  const { tiers, sharedCores: shared } = buildSystem(profile, arrangement, rate);
  const components = knownComponents(profile, arrangement);
  const shares = components.flatMap(([component, { replicas, slots }], i): Share[] => {
    const [thread, child] = tiers[i]!.stations.map((s) => (rate * s.seconds) / (replicas * s.threads));
    const { cores } = tiers[i]!;
    const cpu = profile.costs.components.get(component)!.cpu.slope * rate;
    const held = profile.waitSeconds + (thread! * replicas) / rate;
    const { requests } = tiers[i]!;
    const open = hasWorkElsewhere(profile, arrangement) ? (thread! * replicas) / rate : held;
    return [
      { resource: 'thread', component, share: thread! },
      ...(child ? [{ resource: 'task-runner' as const, component, share: child }] : []),
      ...(cores === undefined ? [] : [{ resource: 'cpu' as const, component, share: cpu / (replicas * cores) }]),
      ...(slots === undefined
        ? []
        : [{ resource: 'slots' as const, component, share: (rate * held) / (replicas * slots) }]),
      ...(requests === undefined
        ? []
        : [{ resource: 'requests' as const, component, share: (rate * open) / (replicas * requests) }]),
    ];
  });
  const cpu = sum(components.map(([c]) => profile.costs.components.get(c)!.cpu.slope)) * rate;
  return [...shares, ...(shared === undefined ? [] : [{ resource: 'machine' as const, share: cpu / shared }])];
}

/** The memory that one pod of each component would use, as a share of its limit. */
export function memoryShares({ costs, recorded }: LoadProfile, arrangement: Arrangement, inFlight: number): Share[] {
  return [...arrangement.components].flatMap(([component, { replicas, memoryBytes }]): Share[] => {
    const line = costs.components.get(component)?.memory;
    if (!line || memoryBytes === undefined || !hasExecutions(component, recorded)) return [];
    return [{ resource: 'memory', component, share: lineValueAt(line, inFlight / replicas) / memoryBytes }];
  });
}

const hasExecutions = (component: Component, arrangement: Arrangement) =>
  component === frontOf(arrangement) || component === runnerOf(arrangement);

/** Cores of all pods together at a rate. */
export const usedCores = (profile: LoadProfile, arrangement: Arrangement, rate: number): number =>
  sum(
    knownComponents(profile, arrangement).map(
      ([c, { replicas }]) => replicas * idleCores(profile, c) + profile.costs.components.get(c)!.cpu.slope * rate,
    ),
  );

/** Whether executions go on in another component once the one that takes webhooks has answered. */
const hasWorkElsewhere = ({ answersEarly }: LoadProfile, arrangement: Arrangement): boolean =>
  answersEarly && frontOf(arrangement) !== runnerOf(arrangement);

const knownComponents = ({ costs }: LoadProfile, { components }: Arrangement) =>
  [...components].filter(([component]) => costs.components.has(component));

/** Cores that one pod uses without load. */
const idleCores = ({ costs, recorded }: LoadProfile, component: Component): number =>
  costs.components.get(component)!.cpu.intercept / recorded.components.get(component)!.replicas;

/** Cores of the machine for executions: all minus those of k6 and idle pods. Other processes do not count: they disturb a step. */
function freeSharedCores(profile: LoadProfile, arrangement: Arrangement, rate: number): number | undefined {
  if (arrangement.sharedCores === undefined) return undefined;
  const { generator } = profile.costs;
  const idle = usedCores(profile, arrangement, 0);
  const taken = generator ? lineValueAt(generator, rate) : 0;
  return Math.max(LEAST_CAPACITY, arrangement.sharedCores - idle - taken);
}

function buildTier(profile: LoadProfile, arrangement: Arrangement, component: Component, pods: Pods): Tier {
  const { cores, slots, replicas } = pods;
  return {
    name: component,
    replicas,
    stations: buildStations(profile, component, pods, arrangement.sqlite === true && component === 'main'),
    ...(cores !== undefined && { cores: Math.max(LEAST_CAPACITY, cores - idleCores(profile, component)) }),
    ...(slots !== undefined && { slots }),
    ...(component === frontOf(arrangement) &&
      profile.maxRequests !== undefined && { requests: podRequestLimit(profile, profile.maxRequests, arrangement) }),
    ...(component === runnerOf(arrangement) &&
      arrangement.poolSize !== undefined && { connections: arrangement.poolSize }),
  };
}

/** Bytes of a request in a process that does not run it, and the share of the memory for requests (`n8n-tuned.overload`). */
const REQUEST_BYTES = 12 * 2 ** 20;
const REQUESTS_SHARE = 0.85;

/** The chart's limit of requests of one pod: that of the record, unless the chart computes another for these pods. */
function podRequestLimit({ recorded, costs }: LoadProfile, maxRequests: number, arrangement: Arrangement): number {
  const computed = maxRequests === queueModeRequestLimit(recorded) ? queueModeRequestLimit(arrangement) : undefined;
  if (computed === undefined) return maxRequests;
  // Memory limits the requests of a pod. The recorded limit fits in any case, and so do the slots of one worker.
  const front = frontOf(arrangement);
  const { memoryBytes = Infinity } = arrangement.components.get(front)!;
  const idle = costs.components.get(front)?.memory?.intercept ?? 0;
  const fit = Math.floor((REQUESTS_SHARE * memoryBytes - idle) / REQUEST_BYTES);
  const least = Math.max(maxRequests, arrangement.components.get('worker')?.slots ?? 0);
  return Math.min(computed, Math.max(fit, least));
}

/** The main thread and the task runner of an n8n process, Redis' one thread, or the backends of PostgreSQL. */
function buildStations(
  { costs, serial, recorded }: LoadProfile,
  component: Component,
  { cores }: Pods,
  waitsForWriter: boolean,
): Station[] {
  const cost = costs.components.get(component)!;
  const { thread, child } = serial.get(component)!;
  if (component === 'postgresql')
    return [{ seconds: thread, threads: Math.max(1, Math.ceil(cores ?? MOST_BACKENDS)), cores: 1 }];
  const withoutLoad = (cost.thread?.intercept ?? 0) / recorded.components.get(component)!.replicas;
  const helpers = thread === 0 ? 1 : (cost.cpu.slope - child) / thread;
  return [
    {
      seconds: (thread * (waitsForWriter ? SQLITE_FACTOR : 1)) / Math.max(LEAST_CAPACITY, 1 - withoutLoad),
      threads: 1,
      // The same work takes longer, so its helpers use fewer cores.
      cores: waitsForWriter ? Math.max(1, helpers) / SQLITE_FACTOR : Math.max(1, helpers),
    },
    { seconds: child, threads: 1, cores: 1 },
  ];
}

/** Operations from arrival to end: the front, the queue, the work in a slot, and in queue mode main's bookkeeping. */
function buildPath(
  profile: LoadProfile,
  arrangement: Arrangement,
  tiers: Tier[],
  place: (component: Component) => number,
): Operation[] {
  const [front, runner] = [frontOf(arrangement), runnerOf(arrangement)];
  const work = (component: Component): Operation[] =>
    [THREAD, CHILD].flatMap((station) =>
      (tiers[place(component)]?.stations[station]?.seconds ?? 0) > 0
        ? [{ do: 'work' as const, tier: place(component), station }]
        : [],
    );
  const during = (what: Permit, component: Component, operations: Operation[]): Operation[] => {
    const tier = place(component);
    if (operations.length === 0 || tiers[tier]![`${what}s`] === undefined) return operations;
    return [{ do: 'take', what, tier }, ...operations, { do: 'give', what, tier }];
  };
  const answer: Operation[] = [{ do: 'answer' }];
  const early = (there: boolean) => (profile.answersEarly && there ? answer : []);
  const taken = front === runner ? [] : [...work(front), ...early(true)];
  const execution = during('slot', runner, [
    ...work(runner),
    ...early(front === runner),
    ...during('connection', runner, work('postgresql')),
    ...(profile.waitSeconds > 0 ? [{ do: 'wait' as const, seconds: profile.waitSeconds }] : []),
  ]);
  const rest = [...(front === runner ? [] : work('redis')), ...execution, ...(profile.answersEarly ? [] : answer)];
  const after = [...arrangement.components.keys()]
    .filter((c) => !componentsOnPath(arrangement).includes(c))
    .flatMap(work);
  const request = hasWorkElsewhere(profile, arrangement)
    ? [...during('request', front, taken), ...rest]
    : during('request', front, [...taken, ...rest]);
  return [...request, ...after];
}
