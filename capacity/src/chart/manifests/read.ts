import type { z } from 'zod';
import { refuse } from '../../core/all-of.js';
import { yamlDocuments } from '../../core/yaml.js';
import type { KubernetesObject } from '../objects.js';
import { shownValue } from './names.js';
import { isRead, schemaOf } from './schema.js';

/**
 * Reads the objects of a text with YAML documents; the items of a List count one by one. Names, keys and paths must be valid in
 * Kubernetes, since they become file names and arguments of commands.
 * @param source name of the text, with which errors begin
 * @throws UsageError with every problem
 */
export function objectsIn(text: string, source: string): KubernetesObject[] {
  const documents = yamlDocuments(text, source).map(withoutNulls);
  const found = documents.flatMap((document) => (isList(document) ? document.items : [document])).filter(isObject);
  refuse(found.flatMap((object) => problemsOf(object).map((problem) => `${source}: ${problem}`)));
  return found;
}

const isList = (value: unknown): value is { items: unknown[] } =>
  isRecord(value) && value.kind === 'List' && Array.isArray(value.items);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Whether a value has a kind and a name. A kind that is read counts without a name too, so that the missing name is reported. */
function isObject(value: unknown): value is KubernetesObject {
  if (!isRecord(value) || typeof value.kind !== 'string') return false;
  return isRead(value.kind) || (isRecord(value.metadata) && value.metadata.name !== undefined);
}

/** Drops keys without a value: charts render them, and Kubernetes ignores them. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]));
}

/** Reasons why Kubernetes would refuse an object, each as a sentence. */
function problemsOf(object: KubernetesObject): string[] {
  const { error } = schemaOf(object.kind, object).safeParse(object);
  const name: unknown = (object.metadata as Partial<KubernetesObject['metadata']> | undefined)?.name;
  const owner = typeof name === 'string' ? `${shown(object.kind)} ${shown(name)}` : shown(object.kind);
  return (error?.issues ?? []).flatMap((issue) => described(issue)).map((problem) => `${owner}: ${problem}.`);
}

/** The name, quoted if it could break a line. */
const shown = (name: string): string => (/^[\w./:-]+$/.test(name) ? name : shownValue(name));

function described(issue: z.core.$ZodIssue): string[] {
  const where = issue.path.map((key) => shown(String(key))).join('.');
  // The key is in the message.
  if (issue.code === 'invalid_key')
    return issue.issues.map(({ message }) => [issue.path.slice(0, -1).join('.'), message].filter(Boolean).join(': '));
  if (issue.code === 'invalid_union') return [`${where}: ${shownValue(issue.input)} is not allowed`];
  return [`${where}: ${issue.message}`];
}
