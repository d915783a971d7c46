import { mean, median, min } from 'simple-statistics';
import { format, hoursOrDays, percent } from '../core/formats.js';
import type { DriftReport, Drift, DriftVerdict } from '../model/reports.js';
import type { Slo } from '../model/plan.js';
import type { StepRecord } from '../model/step.js';
import type { DeploymentRecord } from '../model/run.js';
import type { Sample } from '../model/sample.js';
import {
  growthOf,
  hoursToProve,
  keepsGrowing,
  LEAST_WINDOW_SECONDS,
  LEAST_WINDOWS,
  outlook,
  soakHours,
  type Growth,
  type Point,
  type Span,
} from './growth.js';
import { MEMORY_SHARE } from './memory.js';

/** Row counts of one table over the soak. */
export interface TableRows {
  table: string;
  /** `at` in milliseconds since the epoch. */
  rows: { at: number; count: number }[];
  /** Rows that the load inserts per hour; undefined if unknown. */
  insertedPerHour?: number;
}

/** The records of a soak. */
export interface Soak {
  deployment: DeploymentRecord;
  /** The long steps, all at the same load. */
  steps: StepRecord[];
  samples: Sample[];
  tables?: TableRows[];
  slo: Slo;
  /** Longest drain of the plan. */
  drainSeconds: number;
  /** Time after the soak for which no limit may be reached. */
  horizonSeconds: number;
}

/** Growth over the judged part matters from this share of the level on. Allocators keep 1 to 2 % of slack. */
const GROWTH_SHARE = { memory: 0.02, heap: 0.02, latency: 0.1, backlog: 0, rows: 0.02 };
/** Smaller growth of a median is within the scatter of a second, whatever its share; fewer executions are no backlog. */
const LEAST_LATENCY_SECONDS = 0.005;
const LEAST_BACKLOG = 5;
/** CPU time that falls below this share of its last value belongs to a new process. */
const RESTARTED_CPU_SHARE = 0.5;

/**
 * Judges whether memory, latency, backlog and tables stay below their limits for a horizon after a steady load; the first
 * quarter of the soak is discarded. Memory and rows are judged by their lower envelope, the minimum of each window: what
 * garbage collection or pruning leaves. A sawtooth with a period longer than the soak looks like a leak.
 */
export function judgeDrift(soak: Soak): DriftReport {
  const { deployment, steps, samples, tables = [] } = soak;
  const span = {
    from: Math.min(...steps.map((s) => s.measuredFrom)),
    to: Math.max(...steps.map((s) => s.measuredTo)),
  };
  const horizon = soak.horizonSeconds / 3600;
  const drifts = [
    ...deployment.instances.flatMap((instance) =>
      memoryDrifts(instance, samples, span, horizon, deployment.limits.enforced && !deployment.autoscalers?.length),
    ),
    ...loadsOf(steps).flatMap((load) => [
      latencyDrift(load, soak, span, horizon),
      ...backlogDrift(load, soak, span, horizon),
    ]),
    ...tables.map((table) => rowsDrift(table, span)),
  ];
  return { verdict: worstDrift(drifts), drifts };
}

/** The worst verdict counts; without any quantity, nothing can be said. */
export function worstDrift(drifts: Drift[]): DriftVerdict {
  const found = (['drifts', 'too-short', 'unproven'] as const).find((v) => drifts.some((d) => d.verdict === v));
  return found ?? (drifts.length === 0 ? 'too-short' : 'stable');
}

type Instance = DeploymentRecord['instances'][number];

/** @param isExpected whether the instance must be there to the end, as no autoscaler takes it away */
function memoryDrifts(
  instance: Instance,
  samples: Sample[],
  span: Span,
  horizon: number,
  isExpected: boolean,
): Drift[] {
  const seen = samples
    .filter((s) => s.at <= span.to)
    .flatMap((s) => s.instances.filter((i) => i.name === instance.name).map((i) => ({ at: s.at, ...i })));
  // A look that could not be answered is no restart: deaths are events.
  const alive = seen.filter((s) => s.processes > 0);
  const restarts = alive.filter((now, i) => i > 0 && isRestart(alive[i - 1]!, now));
  const startedAt = Math.max(span.from, restarts.at(-1)?.at ?? span.from);
  if (alive.length === 0) return isExpected && samples.length > 0 ? [unseenDrift(instance.name)] : [];
  const { name, heapMiB } = instance;
  const several = alive.at(-1)!.containers;
  const common = { name, unit: mib, horizon, after: restarts.length > 0 ? 'its last restart' : 'settling' };
  const growth = (points: Point[]) => growthOf(points, span, min, startedAt);
  const heapUsed = alive.flatMap((s) => (s.heapUsedBytes === undefined ? [] : [{ at: s.at, value: s.heapUsedBytes }]));
  const heap = growth(heapUsed);
  const memory = (what: string, points: Point[], limitBytes: number | undefined) => {
    const found = growth(points);
    return towardsLimit(found, {
      ...common,
      of: 'memory',
      what,
      ...(limitBytes !== undefined && { limit: { value: MEMORY_SHARE * limitBytes, text: `${SAFE} of its limit` } }),
      // The peak meets the limit, not what garbage collection leaves.
      ...(found && { last: found.peak }),
    });
  };
  return [
    ...(several?.map((c) => memory(`the memory of ${name} (${c.name})`, ofContainer(alive, c.name), c.limitBytes)) ?? [
      memory(`${name}'s memory`, usedMemory(alive), instance.limits.memoryBytes),
    ]),
    ...(heapUsed.length === 0
      ? []
      : [
          towardsLimit(heap, {
            ...common,
            of: 'heap',
            what: `${name}'s heap`,
            ...(heapMiB !== undefined && {
              limit: { value: MEMORY_SHARE * heapMiB * 2 ** 20, text: `${SAFE} of its limit` },
            }),
          }),
        ]),
  ];
}

const SAFE = percent(MEMORY_SHARE);

const ofContainer = (alive: Seen[], container: string): Point[] =>
  alive.flatMap(({ at, containers = [] }) =>
    containers.filter((c) => c.name === container).map((c) => ({ at, value: c.workingSetBytes })),
  );

type Seen = Sample['instances'][number] & { at: number };

/** What the kernel counts against the limit, where it was seen throughout; else resident memory. */
function usedMemory(alive: Seen[]): Point[] {
  const isKnown = alive.every((s) => s.workingSetBytes !== undefined);
  return alive.map((s) => ({ at: s.at, value: isKnown ? s.workingSetBytes! : s.rssBytes }));
}

const isRestart = (before: { cpuSeconds: number }, now: { cpuSeconds: number }): boolean =>
  now.cpuSeconds < RESTARTED_CPU_SHARE * before.cpuSeconds;

const loadsOf = (steps: StepRecord[]): string[] => [...new Set(steps.map((s) => s.load))];

/** Latency by the medians of its seconds, reduced to the median of each window: one slow second is no drift. */
function latencyDrift(load: string, { steps, slo }: Soak, span: Span, horizon: number): Drift {
  const points = steps
    .filter((s) => s.load === load)
    .flatMap(({ measuredFrom, summary }) =>
      summary.seconds.flatMap(({ at, p50 }) =>
        p50 === undefined ? [] : [{ at: measuredFrom + at * 1000, value: p50 }],
      ),
    );
  const limit = slo.p50 ?? slo.p95 ?? slo.p99;
  return towardsLimit(growthOf(points, span, median), {
    ...{ of: 'latency', name: load, what: `the latency of ${load}`, unit: inMilliseconds, horizon },
    ...(limit !== undefined && { limit: { value: limit, text: 'the objective' } }),
    leastGrowth: LEAST_LATENCY_SECONDS,
  });
}

/** The backlog by the mean of each window. Above what arrives within a drain, accepted executions no longer end within it. */
function backlogDrift(load: string, { steps, drainSeconds }: Soak, span: Span, horizon: number): Drift[] {
  const ofLoad = steps.filter((s) => s.load === load);
  const rate = ofLoad[0]?.rate;
  const points = ofLoad.flatMap(({ measuredFrom, backlog }) =>
    backlog.map((b) => ({ at: measuredFrom + b.at * 1000, value: b.waiting ?? b.executions })),
  );
  if (rate === undefined || points.length === 0) return [];
  return [
    towardsLimit(growthOf(points, span, mean), {
      ...{ of: 'backlog', name: load, what: `the backlog of ${load}`, unit: executions, horizon },
      limit: { value: Math.max(2 * LEAST_BACKLOG, rate * drainSeconds), text: 'what a drain can end' },
      leastGrowth: LEAST_BACKLOG,
    }),
  ];
}

/** A quantity that must not reach a limit. */
interface Limited {
  of: Drift['of'];
  name: string;
  what: string;
  unit: (value: number) => string;
  /** Hours. */
  horizon: number;
  limit?: { value: number; text: string };
  /** The value at the end that meets the limit; the median of the windows if omitted. */
  last?: number;
  /** Growth that matters, whatever its share. */
  leastGrowth?: number;
  /** What the judged part follows. */
  after?: string;
}

function towardsLimit(growth: Growth | undefined, quantity: Limited): Drift {
  const { of, name, what, unit, horizon, limit, after } = quantity;
  if (!growth) return tooShort(of, name, what, after);
  const least = Math.max(quantity.leastGrowth ?? 0, GROWTH_SHARE[of] * growth.level);
  if (!limit) return withoutLimit(growth, quantity, keepsGrowing(growth, least));
  const room = limit.value - (quantity.last ?? growth.level);
  const { verdict, provedHours, hoursToLimit } = outlook(growth, room, horizon, least);
  const end = `${unit(limit.value)}, ${limit.text}`;
  const moves = changes(growth, unit);
  const texts = {
    drifts: `${what} ${moves}: it reaches ${end}, in ${hoursOrDays(hoursToLimit ?? 0)}`,
    stable: `${what} does not reach ${end}, within ${hoursOrDays(horizon)}: it ${moves}`,
    unproven: `${what} may reach ${end}, within ${hoursOrDays(horizon)}: it ${moves}; ${whatProves(growth, room, horizon, provedHours)}`,
  };
  return {
    ...{ of, name, ...slopes(growth), verdict, text: texts[verdict] },
    ...(hoursToLimit !== undefined && { hoursToLimit }),
    ...(Number.isFinite(provedHours) && { provedHours }),
  };
}

const withoutLimit = (growth: Growth, { of, name, what, unit }: Limited, grows: boolean): Drift => ({
  ...{ of, name, ...slopes(growth), verdict: grows ? 'drifts' : 'stable' },
  text: grows ? `${what} ${changes(growth, unit)}` : `${what} shows no growth: it ${changes(growth, unit)}`,
});

const slopes = ({ whole: { slope, low, high } }: Growth) => ({
  perHour: slope,
  ...(Number.isFinite(low) && { low }),
  ...(Number.isFinite(high) && { high }),
});

/** The longest soak that the command takes, in hours. */
const LONGEST_SOAK_HOURS = 72;

/** What is proved, and how long a soak would have to be for more. */
function whatProves(growth: Growth, room: number, horizon: number, provedHours: number): string {
  const proved = provedHours >= 1 ? `proved for ${hoursOrDays(provedHours)}` : 'proved for less than an hour';
  const hours = soakHours(hoursToProve(growth, room, horizon));
  if (hours > LONGEST_SOAK_HOURS)
    return `${proved}; no soak of ${LONGEST_SOAK_HOURS} h proves more: use a shorter --horizon`;
  return `${proved}; for ${hoursOrDays(horizon)} use a soak of at least ${hoursOrDays(hours)}, or a shorter --horizon`;
}

/** Tables stay level once rows are pruned as fast as they are inserted; before the oldest are due they grow. */
function rowsDrift({ table, rows, insertedPerHour }: TableRows, span: Span): Drift {
  const growth = growthOf(
    rows.map(({ at, count }) => ({ at, value: count })),
    span,
    min,
  );
  if (!growth) return tooShort('rows', table, table);
  const unit = (n: number) => `${format(n)} rows`;
  const grows = keepsGrowing(growth, GROWTH_SHARE.rows * growth.level);
  const prunedPerHour = insertedPerHour === undefined ? undefined : Math.max(0, insertedPerHour - growth.whole.slope);
  const pruning =
    prunedPerHour === undefined ? '' : `; ${format(insertedPerHour!)} inserted, ${format(prunedPerHour)} pruned`;
  const drift = withoutLimit(growth, { of: 'rows', name: table, what: table, unit, horizon: 0 }, grows);
  return { ...drift, text: drift.text + pruning, ...(prunedPerHour !== undefined && { prunedPerHour }) };
}

const unseenDrift = (name: string): Drift => ({
  ...{ of: 'memory', name, perHour: 0, verdict: 'too-short' },
  text: `the memory of ${name} was never read, so it is unknown whether it grows`,
});

const tooShort = (of: Drift['of'], name: string, what: string, after = 'settling'): Drift => ({
  ...{ of, name, perHour: 0, verdict: 'too-short' },
  text: `${what} has fewer than ${LEAST_WINDOWS} windows of at least ${LEAST_WINDOW_SECONDS} s after ${after}; use a longer soak`,
});

/** `changes by 60 MiB per hour (55 MiB to 66 MiB)`. */
function changes({ whole: { slope, low, high } }: Growth, unit: (value: number) => string): string {
  const verb = low > 0 ? 'grows' : 'changes';
  const range = Number.isFinite(low) && Number.isFinite(high) ? ` (${unit(low)} to ${unit(high)})` : '';
  return `${verb} by ${unit(slope)} per hour${range}`;
}

const mib = (bytes: number) => {
  const value = bytes / 2 ** 20;
  return `${Math.abs(value) < 100 ? format(value) : Math.round(value)} MiB`;
};
const inMilliseconds = (seconds: number) => `${format(seconds * 1000)} ms`;
const executions = (n: number) => `${format(n)} executions`;
