import { ExplainedError } from './explained';

/** The numbers that are allowed. The error appends `because` to the upper bound. */
export interface NumberRange {
  min: number;
  max: number;
  integer?: boolean;
  unit?: string;
  because?: string;
}

/** A parameter or a field of a credential has a value that is not allowed. */
export class ParameterError extends ExplainedError {
  /**
   * @param parameter   its name in the editor
   * @param what        names the parameter; the value only if it is no secret
   * @param description what is allowed
   */
  constructor(
    readonly parameter: string,
    what: string,
    description: string,
  ) {
    super(what, description);
  }
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Reads a number from a node parameter. Decimal strings count as numbers, because query parameters are strings.
 * @throws ParameterError that names the value and the range
 */
export function readNumber(name: string, value: unknown, range: NumberRange): number {
  const text = typeof value === 'string' ? value.trim() : undefined;
  const number = text !== undefined && DECIMAL.test(text) ? Number(text) : value;
  const kind = range.integer ? 'a whole number' : 'a number';
  const unit = range.unit ? ` ${range.unit}` : '';
  const because = range.because ? ` (${range.because})` : '';
  const allowed = `Set ${name} to ${kind} from ${range.min} to ${range.max}${unit}${because}.`;

  const isNumber = typeof number === 'number' && (range.integer ? Number.isInteger(number) : Number.isFinite(number));
  if (!isNumber || number < range.min || number > range.max) {
    throw new ParameterError(name, `${name} cannot be ${formatValue(value)}`, allowed);
  }
  return number;
}

/**
 * Reads one of a list of names.
 * @throws ParameterError that names the value and the list
 */
export function readChoice<Choice extends string>(name: string, value: unknown, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) {
    throw new ParameterError(
      name,
      `${name} cannot be ${formatValue(value)}`,
      `Set ${name} to one of ${choices.join(', ')}.`,
    );
  }
  return found;
}

/** The text of a value in errors, cut after 60 characters. */
export function formatValue(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  const text = toJson(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The JSON of a value, or undefined if it has none: a function, a BigInt, an object that contains itself. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
