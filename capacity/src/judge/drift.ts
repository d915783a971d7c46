import { format, milliseconds } from '../core/formats.js';
import type { DriftReport, Drift } from '../model/reports.js';
import type { StepRecord } from '../model/step.js';
import type { DeploymentRecord } from '../model/run.js';
import type { Sample } from '../model/sample.js';
import { median } from 'simple-statistics';
import { trend } from '../stats/trend.js';

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
}

/** Share of the soak, from its start or the last restart, that is discarded: heap, compiled code and caches fill then. */
const SETTLING_SHARE = 0.25;
/** A series is judged by windows: enough for a test, each long enough for a garbage collection. */
const WINDOWS = 20;
const LEAST_WINDOW_MS = 60_000;
/** With fewer windows the p-value of Mann-Kendall hardly falls below 0.01. */
const LEAST_WINDOWS = 8;
/** A trend counts if chance explains it less often than this … */
const TREND_P_VALUE = 0.01;
/** … and if its growth over the judged time is at least this share of the level. Allocators keep 1 to 2 % of slack. */
const GROWTH_SHARE = { memory: 0.02, heap: 0.02, latency: 0.1, rows: 0.02 };
/** Smaller growth of a median is within the scatter of a second, whatever its share. */
const LEAST_LATENCY_SECONDS = 0.005;
/** Memory that lasts longer is no leak in practice: an upgrade replaces the pods sooner. */
const HORIZON_HOURS = 30 * 24;
/** A steady rise lifts the minimum of its second half by half of the growth; a sawtooth does not lift it. */
const FLOOR_RISE_SHARE = 0.25;
/** CPU time that falls below this share of its last value belongs to a new process. */
const RESTARTED_CPU_SHARE = 0.5;
const HOUR_MS = 3_600_000;

/**
 * Judges whether memory, latency and tables are stable under a steady load; the first quarter of the soak is discarded.
 * Memory and rows are judged by their lower envelope, the minimum of each window: what garbage collection or pruning leaves.
 * Windows that depend on each other make Mann-Kendall's p-value too small (Hamed and Rao 1998), so growth must also be large
 * enough. A sawtooth with a period longer than the soak looks like a leak.
 */
export function judgeDrift({ deployment, steps, samples, tables = [] }: Soak): DriftReport {
  const span = {
    from: Math.min(...steps.map((s) => s.measuredFrom)),
    to: Math.max(...steps.map((s) => s.measuredTo)),
  };
  const drifts = [
    ...deployment.instances.flatMap((instance) => memoryDrifts(instance, samples, span)),
    ...latencyDrifts(steps, span),
    ...tables.map((table) => rowsDrift(table, span)),
  ];
  const verdicts = drifts.map((d) => d.verdict);
  const verdict = (['drifts', 'too-short'] as const).find((v) => verdicts.includes(v));
  return { verdict: verdict ?? (drifts.length === 0 ? 'too-short' : 'stable'), drifts };
}

/** Milliseconds since the epoch. */
interface Span {
  from: number;
  to: number;
}

interface Point {
  at: number;
  value: number;
}

interface Slope {
  perHour: number;
  pValue: number;
  /** Change over the judged time. */
  growth: number;
  /** Minimum of the second half minus minimum of the first half. */
  floorRise: number;
  level: number;
  last: number;
}

type Reduce = (values: number[]) => number;
const least: Reduce = (values) => Math.min(...values);

/** The trend of the reduced windows after the span has settled; undefined if there are too few windows. */
function slopeOf(points: Point[], span: Span, reduce: Reduce, startedAt = span.from): Slope | undefined {
  const from = startedAt + SETTLING_SHARE * (span.to - span.from);
  const length = Math.max(LEAST_WINDOW_MS, (span.to - from) / WINDOWS);
  const whole = Math.floor((span.to - from) / length + 1e-9);
  const windows = new Map<number, number[]>();
  for (const { at, value } of points) {
    const window = Math.floor((at - from) / length);
    if (window < 0 || window >= whole) continue;
    const values = windows.get(window);
    if (values) values.push(value);
    else windows.set(window, [value]);
  }
  if (windows.size < LEAST_WINDOWS) return undefined;
  const places = [...windows.keys()].sort((a, b) => a - b);
  const series = places.map((place) => reduce(windows.get(place)!));
  const hours = places.map((place) => (place * length) / HOUR_MS);
  const { slope, pValue } = trend(series, hours);
  const half = Math.floor(series.length / 2);
  return {
    perHour: slope,
    pValue,
    growth: slope * (hours.at(-1)! - hours[0]!),
    floorRise: least(series.slice(-half)) - least(series.slice(0, half)),
    level: median(series),
    last: series.at(-1)!,
  };
}

const grows = ({ pValue, growth, level }: Slope, of: Drift['of']): boolean =>
  pValue < TREND_P_VALUE && growth > 0 && growth >= GROWTH_SHARE[of] * level;
const floorRises = ({ growth, floorRise }: Slope): boolean => floorRise >= FLOOR_RISE_SHARE * growth;

function memoryDrifts(instance: DeploymentRecord['instances'][number], samples: Sample[], span: Span): Drift[] {
  const seen = samples
    .filter((s) => s.at <= span.to)
    .flatMap((s) => s.instances.filter((i) => i.name === instance.name).map((i) => ({ at: s.at, ...i })));
  const restarts = seen.filter((now, i) => i > 0 && isRestart(seen[i - 1]!, now));
  const startedAt = Math.max(span.from, restarts.at(-1)?.at ?? span.from);
  const alive = seen.filter((s) => s.processes > 0);
  if (alive.length === 0) return [];
  const heap = alive.flatMap((s) => (s.heapUsedBytes === undefined ? [] : [{ at: s.at, value: s.heapUsedBytes }]));
  const rss = alive.map((s) => ({ at: s.at, value: s.rssBytes }));
  const heapLimit = instance.heapMiB === undefined ? undefined : instance.heapMiB * 2 ** 20;
  const drift = (of: 'memory' | 'heap', points: Point[], limit: number | undefined, most: (s: Slope) => number) =>
    towardsLimit(of, instance.name, slopeOf(points, span, least, startedAt), limit, most, restarts.length > 0);
  const lately = rss.filter((p) => p.at >= span.to - (span.to - startedAt) / WINDOWS).map((p) => p.value);
  return [
    drift('memory', rss, instance.limits.memoryBytes, (s) => Math.max(s.last, ...lately)),
    ...(heap.length > 0 ? [drift('heap', heap, heapLimit, (s) => s.last)] : []),
  ];
}

const isRestart = (before: { cpuSeconds: number }, now: { cpuSeconds: number; processes: number }): boolean =>
  now.processes === 0 || now.cpuSeconds < RESTARTED_CPU_SHARE * before.cpuSeconds;

/** @param most what reaches the limit first: the peak of resident memory, or the live objects of the heap */
function towardsLimit(
  of: 'memory' | 'heap',
  name: string,
  slope: Slope | undefined,
  limit: number | undefined,
  most: (slope: Slope) => number,
  restarted: boolean,
): Drift {
  const what = `${name}'s ${of}`;
  if (!slope) return tooShort(of, name, what, restarted);
  const rises = slope.pValue < TREND_P_VALUE && slope.perHour > 0;
  const hoursToLimit = rises && limit !== undefined ? Math.max(0, limit - most(slope)) / slope.perHour : undefined;
  const drifts = grows(slope, of) && floorRises(slope) && (hoursToLimit ?? 0) < HORIZON_HOURS;
  const end =
    hoursToLimit === undefined
      ? ''
      : `: at this rate it reaches its limit of ${mib(limit!)} in ${format(hoursToLimit)} h`;
  return {
    ...judged(of, name, slope, drifts, `${what} ${changes(slope, drifts, mib)}${end}`),
    ...(hoursToLimit !== undefined && { hoursToLimit }),
  };
}

/** Latency by the medians of its seconds, reduced to the median of each window: one slow second is no drift. */
function latencyDrifts(steps: StepRecord[], span: Span): Drift[] {
  return [...new Set(steps.map((s) => s.load))].map((load) => {
    const points = steps
      .filter((s) => s.load === load)
      .flatMap(({ measuredFrom, summary }) =>
        summary.seconds.flatMap(({ at, p50 }) =>
          p50 === undefined ? [] : [{ at: measuredFrom + at * 1000, value: p50 }],
        ),
      );
    const slope = slopeOf(points, span, median);
    const what = `the latency of ${load}`;
    if (!slope) return tooShort('latency', load, what);
    const drifts = grows(slope, 'latency') && slope.growth >= LEAST_LATENCY_SECONDS;
    return judged('latency', load, slope, drifts, `${what} ${changes(slope, drifts, signedSeconds)}`);
  });
}

/** Tables stay level once rows are pruned as fast as they are inserted; before the oldest are due they grow. */
function rowsDrift({ table, rows, insertedPerHour }: TableRows, span: Span): Drift {
  const slope = slopeOf(
    rows.map(({ at, count }) => ({ at, value: count })),
    span,
    least,
  );
  if (!slope) return tooShort('rows', table, table);
  const drifts = grows(slope, 'rows') && floorRises(slope);
  const prunedPerHour = insertedPerHour === undefined ? undefined : Math.max(0, insertedPerHour - slope.perHour);
  const pruning =
    prunedPerHour === undefined ? '' : `: ${format(insertedPerHour!)} inserted, ${format(prunedPerHour)} pruned`;
  const text = `${table} ${changes(slope, drifts, (n) => `${format(n)} rows`)}${pruning}`;
  return {
    ...judged('rows', table, slope, drifts, text),
    ...(prunedPerHour !== undefined && { prunedPerHour }),
  };
}

const judged = (of: Drift['of'], name: string, { perHour, pValue }: Slope, drifts: boolean, text: string): Drift => ({
  of,
  name,
  perHour,
  pValue,
  verdict: drifts ? 'drifts' : 'stable',
  text,
});

const tooShort = (of: Drift['of'], name: string, what: string, restarted = false): Drift => ({
  ...{ of, name, perHour: 0, pValue: 1, verdict: 'too-short' },
  text: `${what} has fewer than ${LEAST_WINDOWS} windows of at least ${LEAST_WINDOW_MS / 1000} s after ${restarted ? 'its last restart' : 'settling'}; use a longer soak`,
});

const changes = ({ perHour, pValue }: Slope, drifts: boolean, unit: (value: number) => string): string =>
  `${drifts ? 'grows by' : 'is stable, with a trend of'} ${unit(perHour)} per hour (p = ${pValue.toPrecision(2)})`;

const mib = (bytes: number) => {
  const value = bytes / 2 ** 20;
  return `${Math.abs(value) < 100 ? format(value) : Math.round(value)} MiB`;
};
const signedSeconds = (seconds: number) => (seconds < 0 ? `-${milliseconds(-seconds)}` : milliseconds(seconds));
