import { UsageError } from '../core/errors.js';

const UNIT_SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Allowed durations, in seconds, both ends included. */
interface Range {
  least: number;
  most: number;
}

/** Longer than any measurement, and within the range of Node's timers (2^31 ms). */
const ANY: Range = { least: 0, most: 500 * 3600 };

/**
 * Seconds of a duration such as `800ms`, `5s` or `1m30s`.
 * @param name the option, for messages
 * @throws UsageError
 */
export function duration(text: string, name: string, { least, most }: Range = ANY): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map((p) => p[0]).join('') !== text)
    throw new UsageError(
      `${name}: "${text}" is not a duration; write a number with its unit, such as 800ms, 5s, 1m30s or 7d.`,
    );
  const seconds = parts.reduce(
    (sum, [, n, unit]) => sum + Number(n) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS],
    0,
  );
  if (seconds >= least && seconds <= most) return seconds;
  throw new UsageError(`${name}: "${text}" is not allowed; write ${durationText(least)} to ${durationText(most)}.`);
}

/** Seconds in the largest unit that gives a whole number, as a flag takes it: `90s`, `15m`. */
export function durationText(seconds: number): string {
  if (seconds >= 100 * 3600 && seconds % UNIT_SECONDS.d === 0) return `${seconds / UNIT_SECONDS.d}d`;
  const unit = (['h', 'm', 's'] as const).find((u) => seconds > 0 && seconds % UNIT_SECONDS[u] === 0);
  if (seconds === 0) return '0s';
  return unit === undefined ? `${seconds * 1000}ms` : `${seconds / UNIT_SECONDS[unit]}${unit}`;
}

/** Any share, in percent. */
const ANY_SHARE = { least: 0, most: 100, such: '1% or 0.1%' };

/**
 * A fraction from a percentage such as `1%` or `0.05%`.
 * @param range in percent, both ends included, with an example
 * @throws UsageError
 */
export function percentage(text: string, name: string, { least, most, such } = ANY_SHARE): number {
  const match = /^(\d+(?:\.\d+)?)%$/.exec(text);
  const percents = match ? Number(match[1]) : Number.NaN;
  if (percents >= least && percents <= most) return percents / 100;
  throw new UsageError(`${name}: "${text}" is not allowed; write ${least}% to ${most}%, such as ${such}.`);
}

const MULTIPLES = { k: 1e3, M: 1e6 } as const;
const multiple = (unit: string | undefined): number =>
  unit === undefined ? 1 : MULTIPLES[unit as keyof typeof MULTIPLES];

const PER = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Arrivals per second of a rate such as `20/s`, `300/m` or `40k/h`; above 0, at most 100000/s. Throws UsageError. */
export function arrivalRate(text: string, name: string): number {
  const match = /^(\d+(?:\.\d+)?)([kM])?(?:\/(s|m|h|d))?$/.exec(text.trim());
  const rate = match
    ? (Number(match[1]) * multiple(match[2])) / PER[(match[3] ?? 's') as keyof typeof PER]
    : Number.NaN;
  if (!(rate > 0 && rate <= 100_000))
    throw new UsageError(
      `${name}: "${text}" is not an arrival rate; write executions per time, above 0 and at most 100000/s, such as 20/s, 300/m or 40k/h.`,
    );
  return rate;
}

/**
 * A count such as `200000`, `200_000`, `200k` or `1.5M`: whole, from 1 to 1,000,000,000.
 * @param name the option, for messages
 * @throws UsageError
 */
export function largeNumber(text: string, name: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)([kM])?$/.exec(text.replace(/[_']/g, '')) ?? [];
  // Rounded: 1.1 × 1000 is not quite 1100.
  const value = Number((Number(digits) * multiple(unit)).toPrecision(15));
  if (Number.isInteger(value) && value >= 1 && value <= 1e9) return value;
  throw new UsageError(
    `${name}: "${text}" is not allowed; write a whole number from 1 to 1000000000, such as 200000, 200k or 1.5M.`,
  );
}

/** A whole number within a range, both ends included. Throws UsageError. */
export function wholeNumber(text: string, name: string, minimum: number, maximum: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= minimum && value <= maximum))
    throw new UsageError(`${name}: "${text}" is not allowed; write a whole number from ${minimum} to ${maximum}.`);
  return value;
}
