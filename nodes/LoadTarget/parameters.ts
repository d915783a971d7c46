import { ceilings } from './ceilings/ceiling';

/** What a number may be; `because` is appended to the upper bound in the error. */
export interface NumberRange {
  min: number;
  max: number;
  integer?: boolean;
  unit?: string;
  because?: string;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * A number from a node parameter. Decimal strings count as numbers, since expressions on query parameters give strings.
 * Anything else, and what is outside the range, is an error that names the value and the range.
 */
export function readNumber(name: string, value: unknown, range: NumberRange): number {
  const text = typeof value === 'string' ? value.trim() : undefined;
  const number = text !== undefined && DECIMAL.test(text) ? Number(text) : value;
  const kind = range.integer ? 'a whole number' : 'a number';
  const unit = range.unit ? ` ${range.unit}` : '';
  const because = range.because ? ` (${range.because})` : '';
  const allowed = `must be ${kind} from ${range.min} to ${range.max}${unit}${because}`;

  if (typeof number !== 'number' || !Number.isFinite(number)) throw new Error(`${name} is ${show(value)}: ${allowed}`);
  if (range.integer && !Number.isInteger(number)) throw new Error(`${name} is ${show(value)}: ${allowed}`);
  if (number < range.min || number > range.max) throw new Error(`${name} is ${show(value)}: ${allowed}`);
  return number;
}

/** The parameter `milliseconds`: a time to work, up to what one execution may. */
export function readMilliseconds(parameter: (name: string) => unknown): number {
  const max = ceilings.seconds.value * 1000;
  return readNumber('Milliseconds', parameter('milliseconds'), {
    min: 0,
    max,
    unit: 'ms',
    because: ceilings.seconds.text,
  });
}

/**
 * The parameter `kilobytes`: a size in kB of 1024 bytes, from 1.
 * @param maxMegabytes the most it may be, in MB
 * @param because      why no more
 */
export function readKilobytes(parameter: (name: string) => unknown, maxMegabytes: number, because: string): number {
  const range = { min: 1, max: Math.floor(maxMegabytes * 1024), integer: true, unit: 'kB', because };
  return readNumber('Kilobytes', parameter('kilobytes'), range);
}

/** The parameter `seed`: what pseudo-random content starts from, 32 bits. */
export function readSeed(parameter: (name: string) => unknown): number {
  return readNumber('Seed', parameter('seed'), { min: 0, max: 2 ** 32 - 1, integer: true });
}

/** One of a list of names; anything else is an error that names the value and the list. */
export function readChoice<Choice extends string>(name: string, value: unknown, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new Error(`${name} is ${show(value)}: must be one of ${choices.join(', ')}`);
  return found;
}

/** A value as errors show it, cut after 60 characters. */
export function show(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
