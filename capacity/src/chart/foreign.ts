import { readFile } from 'node:fs/promises';
import { execa } from 'execa';
import { parseAllDocuments } from 'yaml';
import { refuse } from '../core/all-of.js';
import { messageOf, UsageError, whyUnread } from '../core/errors.js';
import { yamlProblems } from '../core/yaml.js';
import type { Foreign, Values } from '../model/plan.js';
import type { Place } from './adopt-databases.js';
import { adopt, type Adopted } from './adopt.js';
import type { KubernetesObject } from './objects.js';
import { helmArguments } from './values-flags.js';

const RELEASE = 'n8n';

/**
 * What another chart deploys, as the objects of this one.
 * @throws UsageError that names what cannot be read, rendered or run
 */
export async function foreignObjects(
  helm: string,
  foreign: Foreign,
  values: Values,
  place: Place = 'machine',
): Promise<Adopted> {
  const text =
    foreign.chart === undefined ? await readManifests(foreign.manifests!) : await rendered(helm, foreign.chart, values);
  return adopt(objectsIn(text, foreign.chart ?? foreign.manifests!), foreign, place);
}

const readManifests = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--manifests ${file}: ${whyUnread(error)}; give a file that "helm template" wrote.`);
  });

async function rendered(helm: string, chart: string, values: Values): Promise<string> {
  const args = ['template', RELEASE, chart, ...helmArguments(values)];
  const result = await execa(helm, args, { reject: false, stdin: 'ignore' });
  if (!result.failed) return result.stdout;
  throw new UsageError(`--chart ${chart}: helm cannot render it: ${result.stderr.trim().split('\n').at(-1)}`);
}

/** The objects in a text of several YAML documents; those of a List one by one. */
function objectsIn(text: string, source: string): KubernetesObject[] {
  const objects = documentsIn(text, source).flatMap((document): unknown[] => {
    const object = withoutNulls(document) as { kind?: string; items?: unknown[] } | null;
    return object?.kind === 'List' ? (object.items ?? []) : [object];
  });
  return objects.filter(isObject);
}

function documentsIn(text: string, source: string): unknown[] {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return [];
  refuse(documents.flatMap(({ errors }) => yamlProblems(errors, text, source)));
  try {
    return documents.map((document): unknown => {
      // Throws for an alias without its anchor, which YAML looks for in the same document.
      return document.toJS() as unknown;
    });
  } catch (error) {
    throw new UsageError(`${source}: is not valid YAML: ${messageOf(error).split('\n')[0]}`);
  }
}

/** Charts render keys without a value, which mean nothing to Kubernetes. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]));
}

const isObject = (value: unknown): value is KubernetesObject =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as KubernetesObject).kind === 'string' &&
  typeof (value as KubernetesObject).metadata?.name === 'string';
