import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { messageOf, UsageError } from '../core/errors.js';
import { chartFolder } from '../core/paths.js';
import { didYouMean } from '../core/did-you-mean.js';

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  $ref?: string;
  $defs?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
}

/** Reads a values file. Throws UsageError when it cannot be read, is no YAML, or is not a map. */
export function readValuesFile(file: string): Record<string, unknown> {
  if (file.includes(','))
    throw new UsageError(`-f ${file}: helm takes a comma for the end of a file's name; rename the file.`);
  const values = yamlFile(file, `-f ${file}`, 'give the path of a values file') ?? {};
  if (typeof values !== 'object' || Array.isArray(values))
    throw new UsageError(`-f ${file}: holds ${JSON.stringify(values)}; a values file is a map of keys.`);
  return values as Record<string, unknown>;
}

/**
 * What a YAML file holds, read as `yamlOf` reads it.
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
  return yamlOf(text, source);
}

/**
 * What a YAML text holds, read as helm reads it (merge keys are honoured).
 * @throws UsageError that begins with `source` when it is no YAML, or more than one document
 */
function yamlOf(text: string, source: string): unknown {
  const documents = parseAllDocuments(text, { merge: true });
  if (!Array.isArray(documents)) return undefined;
  if (documents.length > 1) throw new UsageError(`${source}: holds ${documents.length} YAML documents; give one.`);
  const [problem] = documents.flatMap((document) => document.errors);
  try {
    if (problem) throw problem;
    return documents[0]?.toJS();
  } catch (error) {
    throw new UsageError(`${source}: is not valid YAML: ${messageOf(error).split('\n')[0]}`);
  }
}

/** The chart's schema refuses unknown keys; this finds them first, to name the nearest known one. */
export function refuseUnknownKeys(values: Record<string, unknown>, source: string, schema = chartSchema()): void {
  walk(values, schema, schema, [], source);
}

/** Reads `--set a.b=c` for its key alone: helm reads the value. */
export function refuseUnknownAssignment(assignment: string, schema = chartSchema()): void {
  if (!/^[^=]+=/.test(assignment))
    throw new UsageError(`--set ${assignment}: write key=value, as in --set worker.replicas=2.`);
  for (const part of assignment.split(/(?<!\\),(?=[^=,]+=)/)) {
    const path = part
      .split('=')[0]!
      .split('.')
      .map((p) => p.replace(/\[.*$/, ''));
    const nested = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), undefined);
    refuseUnknownKeys(nested as Record<string, unknown>, `--set ${part}`, schema);
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
