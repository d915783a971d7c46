import type { z } from 'zod';
import { throwIfProblems } from '../../core/all-of.js';
import { parseYamlDocuments } from '../../core/yaml.js';
import type { KubernetesObject } from '../objects.js';
import { formatValue } from './names.js';
import { isReadKind, schemaForKind } from './schema.js';

/**
 * Reads the objects of a text with YAML documents; the items of a List count one by one. Names, keys and paths must be valid in
 * Kubernetes, since they become file names and arguments of commands.
 * @param source name of the text, with which errors begin
 * @throws UsageError with every problem
 */
export function readObjects(text: string, source: string): KubernetesObject[] {
  const documents = parseYamlDocuments(text, source).map(dropNulls);
  const found = documents.flatMap((document) => (isList(document) ? document.items : [document])).filter(isObject);
  throwIfProblems(found.flatMap((object) => validationProblems(object).map((problem) => `${source}: ${problem}`)));
  return found;
}

const isList = (value: unknown): value is { items: unknown[] } =>
  isRecord(value) && value.kind === 'List' && Array.isArray(value.items);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Whether a value has a kind and a name. A kind that is read counts without a name too, so that the missing name is reported. */
function isObject(value: unknown): value is KubernetesObject {
  if (!isRecord(value) || typeof value.kind !== 'string') return false;
  return isReadKind(value.kind) || (isRecord(value.metadata) && value.metadata.name !== undefined);
}

/** Drops keys without a value: charts render them, and Kubernetes ignores them. */
function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, dropNulls(inner)]));
}

/** Reasons why Kubernetes would refuse an object, each as a sentence. */
function validationProblems(object: KubernetesObject): string[] {
  const { error } = schemaForKind(object.kind, object).safeParse(object);
  const name: unknown = (object.metadata as Partial<KubernetesObject['metadata']> | undefined)?.name;
  const owner =
    typeof name === 'string' ? `${quoteIfNeeded(object.kind)} ${quoteIfNeeded(name)}` : quoteIfNeeded(object.kind);
  return (error?.issues ?? []).flatMap((issue) => describeIssue(issue)).map((problem) => `${owner}: ${problem}.`);
}

/** The name, quoted if it could break a line. */
const quoteIfNeeded = (name: string): string => (/^[\w./:-]+$/.test(name) ? name : formatValue(name));

function describeIssue(issue: z.core.$ZodIssue): string[] {
  const where = issue.path.map((key) => quoteIfNeeded(String(key))).join('.');
  // The key is in the message.
  if (issue.code === 'invalid_key')
    return issue.issues.map(({ message }) => [issue.path.slice(0, -1).join('.'), message].filter(Boolean).join(': '));
  if (issue.code === 'invalid_union') return [`${where}: ${formatValue(issue.input)} is not allowed`];
  return [`${where}: ${issue.message}`];
}
