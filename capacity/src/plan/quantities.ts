import { UsageError } from '../core/errors.js';

const UNIT_SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600 } as const;

/** Longer than anything that is measured, and within what Node's timers can wait (2^31 ms), in seconds. */
const LONGEST_SECONDS = 500 * 3600;

/**
 * Seconds of a duration like `800ms`, `5s`, `1m30s`.
 * @param name what the value is for, for the message
 * @throws UsageError
 */
export function duration(text: string, name: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map((p) => p[0]).join('') !== text) {
    throw new UsageError(`${name}: "${text}" is no duration; write a number with its unit, as in 800ms, 5s or 1m30s.`);
  }
  const seconds = parts.reduce(
    (sum, [, n, unit]) => sum + Number(n) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS],
    0,
  );
  if (seconds > LONGEST_SECONDS)
    throw new UsageError(`${name}: "${text}" is not allowed; write at most ${LONGEST_SECONDS / 3600}h.`);
  return seconds;
}

/** A fraction from a percentage like `1%` or `0.05%`, between 0 and 1. */
export function percentage(text: string, name: string): number {
  const match = /^(\d+(?:\.\d+)?)%$/.exec(text);
  const fraction = match ? Number(match[1]) / 100 : Number.NaN;
  if (!(fraction >= 0 && fraction <= 1))
    throw new UsageError(`${name}: "${text}" is no percentage; write 0% to 100%, as in 1% or 0.1%.`);
  return fraction;
}

const PER = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Arrivals per second of a rate like `20/s`, `300/m`, `1000/h`; more than 0, at most 100000/s. */
export function arrivalRate(text: string, name: string): number {
  const match = /^(\d+(?:\.\d+)?)(?:\/(s|m|h|d))?$/.exec(text.trim());
  const rate = match ? Number(match[1]) / PER[(match[2] ?? 's') as keyof typeof PER] : Number.NaN;
  if (!(rate > 0 && rate <= 100_000)) {
    throw new UsageError(
      `${name}: "${text}" is no arrival rate; write executions per time, above 0 and up to 100000/s, as in 20/s, 300/m or 1000/h.`,
    );
  }
  return rate;
}

/** A positive whole number within a range. */
export function wholeNumber(text: string, name: string, minimum: number, maximum: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= minimum && value <= maximum)) {
    throw new UsageError(`${name}: "${text}" is not allowed; write a whole number from ${minimum} to ${maximum}.`);
  }
  return value;
}
