import { min } from 'simple-statistics';
import { formatNumber, formatHours, formatPercent } from '../../core/formats.js';
import type { Drift } from '../../model/reports.js';
import type { DeploymentRecord } from '../../model/run.js';
import type { Sample } from '../../model/sample.js';
import { hidingGap } from '../inconclusive.js';
import { MEMORY_SHARE } from '../memory.js';
import { estimateGrowth, type Point, type Span } from './growth.js';
import { towardsLimit } from './limit.js';

/** CPU time that falls below this share of its last value belongs to a new process. */
const RESTARTED_CPU_SHARE = 0.5;

type Instance = DeploymentRecord['instances'][number];

/**
 * Judges the memory of an instance, of each container where they are known, and its heap.
 * @param isExpected whether the instance must be there to the end, as no autoscaler takes it away
 */
export function memoryDrifts(
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
  if (alive.length === 0)
    return isExpected && samples.length > 0
      ? [unseenDrift('memory', instance.name, `the memory of ${instance.name} was never read`)]
      : [];
  const { name, heapMiB } = instance;
  const several = alive.at(-1)!.containers;
  const common = { name, unit: mib, horizon, after: restarts.length > 0 ? 'its last restart' : 'settling' };
  const growth = (points: Point[]) => estimateGrowth(points, span, min, startedAt);
  const heapUsed = alive.flatMap((s) => (s.heapUsedBytes === undefined ? [] : [{ at: s.at, value: s.heapUsedBytes }]));
  const unread = (of: Unseen, what: string, points: Point[]) => {
    const hidden = isExpected ? hiddenFor(points, startedAt, span.to) : undefined;
    return hidden === undefined
      ? undefined
      : unseenDrift(of, name, `${what} could not be read for ${formatHours(hidden / 3600)} in a row`);
  };
  const memory = (what: string, points: Point[], limitBytes: number | undefined) => {
    const unseen = unread('memory', what, points);
    if (unseen) return unseen;
    const found = growth(points);
    return towardsLimit(found, {
      ...common,
      of: 'memory',
      what,
      ...(limitBytes !== undefined
        ? { limit: { value: MEMORY_SHARE * limitBytes, text: `${SAFE} of its limit` } }
        : found && { limit: { value: 2 * found.peak, text: 'twice its peak, as it has no limit' } }),
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
          unread('heap', `${name}'s heap`, heapUsed) ??
            towardsLimit(growth(heapUsed), {
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

const SAFE = formatPercent(MEMORY_SHARE);

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

type Unseen = 'memory' | 'heap';

const unseenDrift = (of: Unseen, name: string, unseen: string): Drift => ({
  ...{ of, name, perHour: 0, verdict: 'too-short' },
  text: `${unseen}, so it is unknown whether it grows`,
});

const hiddenFor = (points: Point[], from: number, to: number): number | undefined =>
  hidingGap(
    points.map(({ at }) => (at - from) / 1000).filter((at) => at >= 0),
    (to - from) / 1000,
  );

const mib = (bytes: number) => {
  const value = bytes / 2 ** 20;
  return `${Math.abs(value) < 100 ? formatNumber(value) : Math.round(value)} MiB`;
};
