import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { didYouMean } from '../core/did-you-mean.js';
import { messageOf, UsageError } from '../core/errors.js';
import { chartFolder } from '../core/paths.js';
import type { Values } from '../model/plan.js';
import { flag, type Naming, type ValidateOptions } from './options.js';

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  $ref?: string;
  $defs?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
}

/** The values of the chart that were given, once every key in them is known to exist. Throws UsageError. */
export function checkedValues({ values: files = [], set = [] }: GivenValues, named: Naming = flag): Values {
  const schema = chartSchema();
  for (const file of files) {
    const source = `${named('values')} ${file}`;
    refuseUnknownKeys(readValuesFile(file, source), source, schema);
  }
  for (const assignment of set) refuseUnknownAssignment(assignment, named('set'), schema);
  return { files, set };
}

type GivenValues = Pick<ValidateOptions, 'values' | 'set'>;

/**
 * Reads a values file.
 * @param source option and file, for messages
 * @throws UsageError when it cannot be read, is not YAML, or is not a map
 */
export function readValuesFile(file: string, source = `-f ${file}`): Record<string, unknown> {
  if (file.includes(',')) throw new UsageError(`${source}: helm splits file names at commas; rename the file.`);
  const values = yamlFile(file, source, 'give the path of a values file') ?? {};
  if (typeof values !== 'object' || Array.isArray(values))
    throw new UsageError(`${source}: ${JSON.stringify(values)} is not allowed; a values file is a map of keys.`);
  return values as Record<string, unknown>;
}

/**
 * The content of a YAML file, read as helm reads it (merge keys are honoured).
 * @param todo what to do when it cannot be read, without a full stop
 * @throws UsageError that begins with `source`
 */
export function yamlFile(file: string, source: string, todo: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${source}: cannot be read (${(error as NodeJS.ErrnoException).code}); ${todo}.`);
  }
  return parseYaml(text, source);
}

/** Throws UsageError that begins with `source` when the text is not YAML, or has more than one document. */
function parseYaml(text: string, source: string): unknown {
  const documents = parseAllDocuments(text, { merge: true });
  if (!Array.isArray(documents)) return undefined;
  if (documents.length > 1)
    throw new UsageError(`${source}: has ${documents.length} YAML documents; write one document a file.`);
  const [problem] = documents.flatMap((document) => document.errors);
  try {
    if (problem) throw problem;
    return documents[0]?.toJS();
  } catch (error) {
    throw new UsageError(`${source}: is not valid YAML: ${messageOf(error).split('\n')[0]}`);
  }
}

/**
 * Refuses keys that the chart does not have, as its schema does, but names the nearest known key.
 * @param source where the values are from, for messages
 * @throws UsageError
 */
export function refuseUnknownKeys(values: Record<string, unknown>, source: string, schema = chartSchema()): void {
  walk(values, schema, schema, [], source);
}

/** Checks the keys of `--set a.b=c,d=e`; helm reads the values. Throws UsageError. */
function refuseUnknownAssignment(assignment: string, option: string, schema: Schema): void {
  if (!/^[^=]+=/.test(assignment))
    throw new UsageError(`${option} ${assignment}: is not allowed; write key=value, such as worker.replicas=2.`);
  for (const part of assignment.split(/(?<!\\),(?=[^=,]+=)/)) {
    const path = part
      .split('=')[0]!
      .split('.')
      .map((p) => p.replace(/\[.*$/, ''));
    const nested = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), undefined);
    refuseUnknownKeys(nested as Record<string, unknown>, `${option} ${part}`, schema);
  }
}

function walk(values: unknown, schema: Schema, root: Schema, path: string[], source: string): void {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return;
  const { properties, additionalProperties } = resolve(schema, root);
  if (!properties) return;
  for (const [key, value] of Object.entries(values)) {
    const known = properties[key];
    if (known) walk(value, known, root, [...path, key], source);
    else if (additionalProperties === false && key !== 'global') {
      const names = Object.keys(properties);
      const where = path.length > 0 ? `${path.join('.')}.${key}` : key;
      throw new UsageError(
        `${source}: unknown value "${where}"${didYouMean(key, names)} Known here: ${names.join(', ')}.`,
      );
    }
  }
}

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
