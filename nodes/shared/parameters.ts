/** What a number may be; `because` is appended to the upper bound in the error. */
export interface NumberRange {
  min: number;
  max: number;
  integer?: boolean;
  unit?: string;
  because?: string;
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

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

/** One of a list of names; anything else is an error that names the value and the list. */
export function readChoice<Choice extends string>(name: string, value: unknown, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new Error(`${name} is ${show(value)}: must be one of ${choices.join(', ')}`);
  return found;
}

/** A value as errors show it, cut after 60 characters. */
export function show(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  const text = serialised(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Nothing for what has no JSON: a function, a BigInt, an object that contains itself. */
function serialised(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
