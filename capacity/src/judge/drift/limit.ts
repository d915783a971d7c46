import { formatHours } from '../../core/formats.js';
import type { Drift } from '../../model/reports.js';
import {
  hoursToProve,
  keepsGrowing,
  LEAST_WINDOW_SECONDS,
  LEAST_WINDOWS,
  outlook,
  soakHours,
  type Growth,
} from './growth.js';

/** Growth over the judged part matters from this share of the level on. Allocators keep 1 to 2 % of slack. */
const GROWTH_SHARE = { memory: 0.02, heap: 0.02, latency: 0.1, backlog: 0, rows: 0.02 };

type Judged = keyof typeof GROWTH_SHARE;

/** A quantity that must not reach a limit. */
interface Limited {
  of: Judged;
  name: string;
  what: string;
  unit: (value: number) => string;
  /** Hours. */
  horizon: number;
  limit?: { value: number; text: string };
  /** The value at the end that meets the limit; that of the growth if omitted. */
  last?: number;
  /** Growth that matters, whatever its share. */
  leastGrowth?: number;
  /** What the judged part follows. */
  after?: string;
}

/** Judges whether a quantity reaches its limit within the horizon; without a limit, whether it keeps growing. */
export function towardsLimit(growth: Growth | undefined, quantity: Limited): Drift {
  const { of, name, what, unit, horizon, limit, after } = quantity;
  if (!growth) return tooShort(of, name, what, after);
  if (!limit) return withoutLimit(growth, quantity, isGrowing(of, growth, quantity.leastGrowth));
  const least = leastGrowthThatMatters(of, growth, quantity.leastGrowth);
  const room = limit.value - (quantity.last ?? growth.end);
  const { verdict, provedHours, hoursToLimit } = outlook(growth, room, horizon, least);
  const end = `${unit(limit.value)}, ${limit.text}`;
  const moves = changes(growth, unit);
  const texts = {
    drifts: `${what} ${moves}: it reaches ${end}, in ${formatHours(hoursToLimit ?? 0)}`,
    stable: `${what} does not reach ${end}, within ${formatHours(horizon)}: it ${moves}`,
    unproven: `${what} may reach ${end}, within ${formatHours(horizon)}: it ${moves}; ${whatProves(growth, room, horizon, provedHours)}`,
  };
  return {
    ...{ of, name, ...slopes(growth), verdict, text: texts[verdict] },
    ...(hoursToLimit !== undefined && { hoursToLimit }),
    ...(Number.isFinite(provedHours) && { provedHours }),
  };
}

const leastGrowthThatMatters = (of: Judged, { level }: Growth, least = 0) => Math.max(least, GROWTH_SHARE[of] * level);

/** @param least growth that matters, whatever its share */
export const isGrowing = (of: Judged, growth: Growth, least?: number): boolean =>
  keepsGrowing(growth, leastGrowthThatMatters(of, growth, least));

export const withoutLimit = (growth: Growth, { of, name, what, unit }: Limited, grows: boolean): Drift => ({
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
  const proved = provedHours >= 1 ? `proved for ${formatHours(provedHours)}` : 'proved for less than an hour';
  const hours = soakHours(hoursToProve(growth, room, horizon));
  if (hours > LONGEST_SOAK_HOURS)
    return `${proved}; no soak of ${LONGEST_SOAK_HOURS} h proves more: use a shorter --horizon`;
  return `${proved}; for ${formatHours(horizon)} use a soak of at least ${formatHours(hours)}, or a shorter --horizon`;
}

export const tooShort = (of: Judged, name: string, what: string, after = 'settling'): Drift => ({
  ...{ of, name, perHour: 0, verdict: 'too-short' },
  text: `${what} has fewer than ${LEAST_WINDOWS} windows of at least ${LEAST_WINDOW_SECONDS} s after ${after}; use a longer soak`,
});

/** `changes by 60 MiB per hour (55 MiB to 66 MiB)`. */
function changes({ whole: { slope, low, high } }: Growth, unit: (value: number) => string): string {
  const verb = low > 0 ? 'grows' : 'changes';
  const range = Number.isFinite(low) && Number.isFinite(high) ? ` (${unit(low)} to ${unit(high)})` : '';
  return `${verb} by ${unit(slope)} per hour${range}`;
}
