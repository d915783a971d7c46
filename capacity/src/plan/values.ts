import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { profileNames } from '../chart/profiles.js';
import { ASSIGNMENTS } from '../chart/values-flags.js';
import { checkEach, throwIfProblems } from '../core/all-of.js';
import { didYouMean, nearestNames } from '../core/did-you-mean.js';
import { messageOf, UsageError } from '../core/errors.js';
import { chartFolder } from '../core/paths.js';
import { readYamlFile } from '../core/yaml.js';
import type { Values } from '../model/plan.js';
import { splitJsonAssignment, splitAssignment, refuseUnreadable, shown } from './assignments.js';
import { flag, type Naming, type ValuesOptions } from './options.js';

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  deprecated?: boolean;
  $ref?: string;
  $defs?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
}

/**
 * The values of the chart that were given, once every key in them is known to exist and every file can be read.
 * @throws UsageError with all problems
 */
export function checkedValues(given: ValuesOptions, named: Naming = flag): Values {
  const schema = chartSchema();
  const values = valuesOf(given);
  const { profile, files } = values;
  checkEach(
    [
      ...(profile === undefined ? [] : [() => refuseUnknownProfile(profile, named('profile'))]),
      ...files.map((file) => () => {
        const source = `${named('values')} ${file}`;
        refuseUnknownKeys(readValuesFile(file, source), source, schema);
      }),
      ...ASSIGNMENTS.flatMap((kind) =>
        (values[kind] ?? []).map((assignment) => () => refuseAssignment(kind, assignment, named(kind), schema)),
      ),
    ],
    (check) => check(),
  );
  return values;
}

/** The values as they were given. */
export const valuesOf = ({
  profile,
  values: files = [],
  set = [],
  setString,
  setFile,
  setJson,
}: ValuesOptions): Values => ({
  ...(profile !== undefined && { profile }),
  files,
  set,
  ...(setString && { setString }),
  ...(setFile && { setFile }),
  ...(setJson && { setJson }),
});

function refuseUnknownProfile(profile: string, option: string): void {
  const names = profileNames();
  if (!names.includes(profile))
    throw new UsageError(
      `${option} ${profile}: does not exist${didYouMean(profile, names)} Profiles: ${names.join(', ')}.`,
    );
}

/** Checks the keys of an assignment; helm reads the values. Throws UsageError. */
function refuseAssignment(
  kind: (typeof ASSIGNMENTS)[number],
  assignment: string,
  option: string,
  schema: Schema,
): void {
  const refuseKeys = (path: string[], value: unknown, source: string) =>
    refuseUnknownKeys(
      path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>,
      source,
      schema,
    );
  if (kind === 'setJson') {
    checkEach(splitJsonAssignment(assignment, option), ({ path, value }) =>
      refuseKeys(path, value, `${option} ${path.length > 0 ? path.join('.') : 'of an object'}`),
    );
    return;
  }
  checkEach(splitAssignment(assignment, option), (part) => {
    refuseKeys(part.path, undefined, `${option} ${shown(part.text)}`);
    if (kind === 'setFile') refuseUnreadable(part, option);
  });
}

/**
 * Reads a values file.
 * @param source option and file, for messages
 * @throws UsageError when it cannot be read, is not YAML, or is not a map
 */
export function readValuesFile(file: string, source = `-f ${file}`): Record<string, unknown> {
  if (file.includes(',')) throw new UsageError(`${source}: helm splits file names at commas; rename the file.`);
  const values = readYamlFile(file, source, 'give the path of a values file') ?? {};
  if (typeof values !== 'object' || Array.isArray(values))
    throw new UsageError(`${source}: ${JSON.stringify(values)} is not allowed; a values file is a map of keys.`);
  return values as Record<string, unknown>;
}

/**
 * Refuses keys that the chart does not have, as its schema does, but names the nearest known key.
 * @param source where the values are from, for messages
 * @throws UsageError with all of them
 */
export function refuseUnknownKeys(values: Record<string, unknown>, source: string, schema = chartSchema()): void {
  throwIfProblems([...unknownKeys(values, schema, schema, [])].map((problem) => `${source}: ${problem}`));
}

function* unknownKeys(values: unknown, schema: Schema, root: Schema, path: string[]): Iterable<string> {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return;
  const { properties, additionalProperties } = resolve(schema, root);
  if (!properties) return;
  for (const [key, value] of Object.entries(values)) {
    const known = properties[key];
    if (known) yield* unknownKeys(value, known, root, [...path, key]);
    else if (additionalProperties === false && key !== 'global') {
      const names = Object.keys(properties).filter((name) => !isIgnored(name, properties, path));
      yield `unknown value "${[...path, key].join('.')}"${didYouMean(key, names)} ${knownHere(key, names)}`;
    }
  }
}

/** Names that the schema takes, and the chart refuses or ignores: those of other charts, and those for charts that include this one. */
const isIgnored = (name: string, properties: Record<string, Schema>, path: string[]): boolean =>
  properties[name]!.deprecated === true || (path.length === 0 && ['global', 'enabled'].includes(name));

/** Of the chart's own values there are too many to list. */
const MANY = 30;

const knownHere = (key: string, names: string[]): string =>
  names.length > MANY
    ? `Nearest: ${nearestNames(key, names, 3).join(', ')}; all values: charts/n8n-tuned/README.md.`
    : `Known here: ${names.join(', ')}.`;

function resolve(schema: Schema, root: Schema): Schema {
  if (!schema.$ref) return schema;
  const name = schema.$ref.split('/').pop()!;
  return { ...schema, ...(root.$defs?.[name] ?? root.definitions?.[name] ?? {}) };
}

function chartSchema(): Schema {
  const file = join(chartFolder, 'values.schema.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Schema;
  } catch (error) {
    throw new Error(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** Values over others, as helm merges them: maps key by key, everything else as a whole. */
export function mergedMaps(under: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const result = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = result[key];
    result[key] = isMap(below) && isMap(value) ? mergedMaps(below, value) : value;
  }
  return result;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The chart's values. Throws UsageError if the chart's file cannot be read. */
export function chartDefaults(): Record<string, unknown> {
  const file = join(chartFolder, 'values.yaml');
  return readYamlFile(file, file, 'restore it') as Record<string, unknown>;
}

/** The chart's values with those of the user over them. Throws UsageError if the chart's file cannot be read. */
export const withDefaults = (given: Record<string, unknown>): Record<string, unknown> =>
  mergedMaps(chartDefaults(), given);
