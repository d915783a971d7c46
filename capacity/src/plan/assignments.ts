import { readFileSync } from 'node:fs';
import { UsageError, describeReadError } from '../core/errors.js';
import { HIDDEN, redacted } from './redact.js';

/** A part of an assignment of helm: where its value goes, as keys without indices of lists, and the value. */
export interface Part {
  /** As the user wrote it. */
  text: string;
  path: string[];
  value: string;
}

/** An assignment for a message: only its key if its value may be secret. */
export const shown = (assignment: string): string => redacted(assignment, HIDDEN);

/** Helm splits an assignment at commas that no backslash precedes, where another key follows. */
const COMMAS = /(?<!\\),(?=[^=,]+=)/;

/**
 * The parts of `a.b=c,d=e`, as `--set`, `--set-string` and `--set-file` take it.
 * @param option for messages
 * @throws UsageError if it has no key
 */
export function splitAssignment(assignment: string, option: string): Part[] {
  if (!/^[^=]+=/.test(assignment))
    throw new UsageError(`${option} ${shown(assignment)}: is not allowed; write key=value, such as worker.replicas=2.`);
  return assignment.split(COMMAS).map((text) => {
    const at = text.indexOf('=');
    return { text, path: keysOf(at < 0 ? text : text.slice(0, at)), value: at < 0 ? '' : text.slice(at + 1) };
  });
}

/** The keys of a path such as `a.b[0].c`. */
const keysOf = (path: string): string[] => path.split(/(?<!\\)\./).map((key) => key.replace(/\[.*$/, ''));

/** A part of `--set-json`: its value is read. */
export interface JsonPart {
  path: string[];
  value: unknown;
}

/**
 * The parts of `a.b=[1],c={"d":2}`, or of a JSON object of values, as `--set-json` takes them.
 * @param option for messages
 * @throws UsageError if a value is not JSON
 */
export function splitJsonAssignment(assignment: string, option: string): JsonPart[] {
  const text = assignment.trim();
  if (text.startsWith('{')) {
    const value = json(text);
    if (value) return [{ path: [], value: value.read }];
    throw new UsageError(`${option} ${shown(text)}: is not JSON; write an object such as {"worker":{"replicas":2}}.`);
  }
  const [, key, rest] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || rest === undefined)
    throw new UsageError(
      `${option} ${shown(text)}: is not allowed; write key=JSON, such as main.nodeSelector={"disk":"ssd"}.`,
    );
  // A comma may be one of the JSON: the value ends at the first one that leaves JSON before it.
  const ends = [...rest.matchAll(new RegExp(COMMAS, 'g'))].map(({ index }) => index);
  for (const end of [...ends, rest.length]) {
    const value = json(rest.slice(0, end));
    if (!value) continue;
    const others = end < rest.length ? splitJsonAssignment(rest.slice(end + 1), option) : [];
    return [{ path: keysOf(key), value: value.read }, ...others];
  }
  throw new UsageError(`${option} ${shown(text)}: the value of ${key} is not JSON; quote text, as in ${key}="text".`);
}

/** Helm reads no value as null. */
function json(text: string): { read: unknown } | undefined {
  try {
    return { read: text.trim() === '' ? null : JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Throws UsageError if the file of a part of `--set-file` cannot be read. */
export function refuseUnreadable({ text, value }: Part, option: string): void {
  const file = unescaped(value);
  try {
    readFileSync(file);
  } catch (error) {
    throw new UsageError(`${option} ${shown(text)}: ${describeReadError(error)}; give the path of a file.`);
  }
}

/**
 * The assignment of `--set-file` with other paths.
 * @throws UsageError if it has no key
 */
export const withPaths = (assignment: string, option: string, pathOf: (path: string) => string): string =>
  splitAssignment(assignment, option)
    .map(({ text, value }) => `${text.slice(0, text.length - value.length)}${escaped(pathOf(unescaped(value)))}`)
    .join(',');

const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');
const escaped = (text: string): string => text.replace(/[\\,]/g, (character) => `\\${character}`);
