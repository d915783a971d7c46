import { max, median, min } from 'simple-statistics';
import { estimateSlopeInterval, type SlopeInterval } from '../../stats/slope.js';

/** Milliseconds since the epoch. */
export interface Span {
  from: number;
  to: number;
}

/** A value at a time, in milliseconds since the epoch. */
export interface Point {
  at: number;
  value: number;
}

/** Makes one value of those of a window. */
type Reduce = (values: number[]) => number;

/** How a quantity changed in the judged part of a soak; slopes per hour. */
export interface Growth {
  whole: SlopeInterval;
  /** The slopes of the first and of the second half alone. */
  early: SlopeInterval;
  late: SlopeInterval;
  /** Length of the judged part. */
  hours: number;
  /** Change over the judged part. */
  change: number;
  /** Minimum of the second half minus minimum of the first half. */
  floorRise: number;
  /** Median of the windows, where the quantity is at the end, and the highest point of the second half. */
  level: number;
  end: number;
  peak: number;
  /** Growth per hour at the end: of the last windows above all before; 0 if they are not clearly above. */
  climb: number;
}

/** Share of the soak, from its start or the last restart, that is discarded: heap, compiled code and caches fill then. */
const SETTLING_SHARE = 0.25;
/** A series is judged by windows: enough for two halves to have an interval, each long enough for a garbage collection. */
const WINDOWS = 40;
export const LEAST_WINDOW_SECONDS = 60;
/** With fewer windows the interval of a slope is mostly infinite. */
export const LEAST_WINDOWS = 8;
/** Each bound is wrong in 0.5 %, twice that where windows depend on each other; the whole or its second half may prove. */
const BOUND_Z = 2.58;
export const HOUR_MS = 3_600_000;

/** Converts judged hours to hours of soak. */
export const soakHours = (judged: number): number => judged / (1 - SETTLING_SHARE);

/** The growth of the reduced windows after the span has settled; undefined if there are too few windows. */
export function estimateGrowth(points: Point[], span: Span, reduce: Reduce, startedAt = span.from): Growth | undefined {
  const from = startedAt + SETTLING_SHARE * (span.to - span.from);
  const length = Math.max(LEAST_WINDOW_SECONDS * 1000, (span.to - from) / WINDOWS);
  const windows = splitIntoWindows(points, from, length, Math.floor((span.to - from) / length + 1e-9));
  if (windows.length < LEAST_WINDOWS) return undefined;
  const series = windows.map((w) => reduce(w.values));
  const places = windows.map((w) => (w.place * length) / HOUR_MS);
  const half = Math.floor(series.length / 2);
  const estimateSlope = (a: number, b?: number) =>
    estimateSlopeInterval(series.slice(a, b), places.slice(a, b), BOUND_Z);
  const whole = estimateSlope(0);
  const hours = places.at(-1)! - places[0]!;
  const change = whole.slope * hours;
  const level = median(series);
  return {
    whole,
    early: estimateSlope(0, half),
    late: estimateSlope(-half),
    hours,
    change,
    floorRise: min(series.slice(-half)) - min(series.slice(0, half)),
    level,
    // Half of a steady growth comes after the median, and the last window; one that begins late shows in the last quarter alone.
    end: Math.max(
      level + Math.max(0, whole.slope) * (hours / 2 + length / HOUR_MS),
      median(series.slice(-lastQuarter(series))),
    ),
    peak: max(windows.slice(-half).map((w) => max(w.values))),
    climb: climbFromLowest(series, places),
  };
}

const LAST_SHARE = 0.25;
const LAST_WINDOWS = 2;
/** A rise stands out if it exceeds this multiple of the earlier scatter, from its median to its highest window. */
const CLIMB_SCATTER = 0.5;

const lastQuarter = (series: number[]): number => Math.max(LAST_WINDOWS, Math.round(LAST_SHARE * series.length));

/**
 * A rise that begins late in a soak moves neither the slope of the whole nor that of its second half. It may begin anywhere in
 * the last quarter: the steepest counts.
 */
function climbFromLowest(series: number[], places: number[]): number {
  const lowest = min(series.slice(-LAST_WINDOWS));
  const first = series.length - lastQuarter(series);
  const starts = Array.from({ length: series.length - LAST_WINDOWS - first + 1 }, (_, i) => first + i);
  const slopes = starts.map((start) => {
    const before = series.slice(0, start);
    const highest = max(before);
    const isClear = lowest - highest > CLIMB_SCATTER * (highest - median(before));
    return isClear ? (series.at(-1)! - highest) / (places.at(-1)! - places[start - 1]!) : 0;
  });
  return max(slopes);
}

function splitIntoWindows(points: Point[], from: number, length: number, count: number) {
  const windows = Array.from({ length: count }, (_, place) => ({ place, values: [] as number[] }));
  for (const { at, value } of points) windows[Math.floor((at - from) / length)]?.values.push(value);
  return windows.filter((w) => w.values.length > 0);
}

/** A steady rise lifts the minimum of its second half by half of the growth; a sawtooth does not lift it. */
const FLOOR_RISE_SHARE = 0.25;
/** Growth that is this much slower in the second half levels off, as a cache that fills. */
const LEVELLING_SHARE = 0.5;

/** What the growth of a quantity says of its limit. */
interface Outlook {
  verdict: 'stable' | 'drifts' | 'unproven';
  /** Hours after the soak for which the limit is proved not to be reached; Infinity without an end. */
  provedHours: number;
  /** Hours until it is reached at the steepest estimate: of the whole, its second half or its end; undefined where all fall. */
  hoursToLimit?: number;
}

/**
 * Judges whether a quantity reaches its limit within a horizon. It drifts if the lower bound of the slope reaches the limit, and
 * the growth matters and does not level off. It is stable if an upper bound of the slope does not reach it. That is the bound of
 * the whole judged part, or of its second half, which a warm-up disturbs less. Everything between is unproven. A climb at the end
 * that would reach the limit is unproven, too.
 * @param room from the level at the end to the limit
 * @param horizon hours
 * @param least growth over the judged part that matters
 */
export function outlook(growth: Growth, room: number, horizon: number, least: number): Outlook {
  const { whole, late, climb } = growth;
  const hoursTo = (slope: number) => (room <= 0 ? 0 : slope > 0 ? room / slope : Infinity);
  const reaches = (slope: number) => hoursTo(slope) <= horizon;
  const provedHours = hoursTo(Math.min(whole.high, late.high));
  const hours = hoursTo(Math.max(whole.slope, late.slope, climb));
  const found = { provedHours, ...(hours < Infinity && { hoursToLimit: hours }) };
  if (room <= 0 || (reaches(whole.low) && isSteady(growth, least))) return { ...found, verdict: 'drifts' };
  return { ...found, verdict: reaches(late.low) || reaches(climb) || provedHours <= horizon ? 'unproven' : 'stable' };
}

/** Whether a quantity without a limit grows, and does not level off. */
export const keepsGrowing = (growth: Growth, least: number): boolean => growth.whole.low > 0 && isSteady(growth, least);

const isSteady = ({ early, late, change, floorRise }: Growth, least: number): boolean =>
  change >= least && floorRise >= FLOOR_RISE_SHARE * change && late.slope >= LEVELLING_SHARE * early.slope;

/**
 * Hours of judged soak after which the slope would be known well enough to prove a horizon, if it stays as it is. The interval of a slope narrows with the power 3/2 of the time. If the estimate itself leaves no room, twice the time at
 * least shows whether the growth continues.
 */
export function hoursToProve({ whole, hours }: Growth, room: number, horizon: number): number {
  const allowed = room / horizon;
  const width = whole.high - whole.slope;
  if (!Number.isFinite(width)) return Math.max(2 * hours, (WINDOWS * LEAST_WINDOW_SECONDS) / 3600);
  const isNear = whole.slope > allowed / 2;
  const left = isNear ? allowed / 2 : allowed - Math.max(0, whole.slope);
  return hours * Math.max(isNear ? 2 : 1.25, (width / left) ** (2 / 3));
}
