import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Container, PodSpec } from 'kubernetes-types/core/v1.js';
import { parse } from 'yaml';
import { chartFolder } from '../core/paths.js';
import { formatValue } from './manifests/names.js';
import type { KubernetesObject } from './objects.js';

/** Patterns that the JSON of a field must match, or must not. The chart's files/pod-security.yaml explains them. */
interface Row {
  allows?: Record<string, string>;
  forbids?: Record<string, string>;
}

/** Settings that this chart refuses in its pods. Pods of other charts may not have them either. */
const table = parse(readFileSync(join(chartFolder, 'files', 'pod-security.yaml'), 'utf8')) as {
  contexts: Row[];
  containers: Row[];
};

/** Fields of the table whose refused values give a pod no more rights than leaving the field out. */
const HARMLESS_FIELDS = ['runAsNonRoot', 'allowPrivilegeEscalation', 'capabilities', 'capabilities.drop'];

/** Fields by which a pod asks for the node's namespaces, a certain node, or a system priority. */
const POD_ROWS: Row[] = [
  {
    forbids: {
      hostNetwork: '^true$',
      hostPID: '^true$',
      hostIPC: '^true$',
      nodeName: '^"',
      priorityClassName: '^"system-',
    },
  },
];

/**
 * Settings by which a workload reaches beyond its container in a cluster, each as a sentence. n8n needs none of them.
 * @param workload with the container that runs n8n; other containers are not checked
 */
export function hostProblems({ object, container }: { object: KubernetesObject; container: Container }): string[] {
  const pod: Partial<PodSpec> = object.spec?.template?.spec ?? {};
  const asked = [
    ...refusedFields(POD_ROWS, pod),
    ...refusedFields(table.containers, container),
    ...[pod, container].flatMap(({ securityContext }) =>
      refusedFields(table.contexts, securityContext).map((what) => `securityContext.${what}`),
    ),
  ];
  return [...new Set(asked)].map(
    (what) =>
      `${object.kind} ${object.metadata.name}: ${what}: gives the pod rights on its node, which n8n does not need; remove it.`,
  );
}

/** The fields that the rows refuse, with their values. */
function refusedFields(rows: Row[], fields: unknown): string[] {
  const at = (patterns: Record<string, string> = {}, isAllowed: boolean) =>
    Object.entries(patterns)
      .filter(([field]) => !HARMLESS_FIELDS.includes(field))
      .flatMap(([field, pattern]) =>
        valuesAt(fields, field.split('.'))
          .filter((value) => new RegExp(pattern).test(JSON.stringify(value)) !== isAllowed)
          .map(
            (value) => `${field}: ${typeof value === 'string' ? formatValue(value).slice(1, -1) : formatValue(value)}`,
          ),
      );
  return rows.flatMap(({ allows, forbids }) => [...at(allows, true), ...at(forbids, false)]);
}

/** The values at a path such as `ports[].hostPort`; none if a field on the way is missing. */
function valuesAt(value: unknown, [key, ...rest]: string[]): unknown[] {
  if (key === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  const inner = (value as Record<string, unknown>)[key.replace('[]', '')];
  if (inner === undefined || inner === null) return [];
  const each = key.endsWith('[]') && Array.isArray(inner) ? (inner as unknown[]) : [inner];
  return each.flatMap((item) => valuesAt(item, rest));
}
