import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Container, PodSpec } from 'kubernetes-types/core/v1.js';
import { parse } from 'yaml';
import { chartFolder } from '../core/paths.js';
import { shownValue } from './manifests/names.js';
import type { KubernetesObject } from './objects.js';

/** What fields may and may not contain as JSON, by pattern; the chart's files/pod-security.yaml says more. */
interface Row {
  allows?: Record<string, string>;
  forbids?: Record<string, string>;
}

/** What this chart refuses of pods, of which pods of others may have no more. */
const table = parse(readFileSync(join(chartFolder, 'files', 'pod-security.yaml'), 'utf8')) as {
  contexts: Row[];
  containers: Row[];
};

/** Fields of the table in which what it refuses is no more than a pod has that does not set them. */
const AS_WITHOUT = ['runAsNonRoot', 'allowPrivilegeEscalation', 'capabilities', 'capabilities.drop'];

/** Namespaces of the node, and places on it, that a pod can ask for. */
const PODS: Row[] = [
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
 * What of a workload reaches beyond its container in a cluster, each as a sentence: n8n needs none of it.
 * @param workload with the container that runs n8n; others are left out
 */
export function hostProblems({ object, container }: { object: KubernetesObject; container: Container }): string[] {
  const pod: Partial<PodSpec> = object.spec?.template?.spec ?? {};
  const asked = [
    ...refused(PODS, pod),
    ...refused(table.containers, container),
    ...[pod, container].flatMap(({ securityContext }) =>
      refused(table.contexts, securityContext).map((what) => `securityContext.${what}`),
    ),
  ];
  return [...new Set(asked)].map(
    (what) =>
      `${object.kind} ${object.metadata.name}: ${what}: gives the pod rights on its node, which n8n does not need; remove it.`,
  );
}

/** The fields that rows refuse, with their values. */
function refused(rows: Row[], fields: unknown): string[] {
  const at = (patterns: Record<string, string> = {}, isAllowed: boolean) =>
    Object.entries(patterns)
      .filter(([field]) => !AS_WITHOUT.includes(field))
      .flatMap(([field, pattern]) =>
        valuesAt(fields, field.split('.'))
          .filter((value) => new RegExp(pattern).test(JSON.stringify(value)) !== isAllowed)
          .map(
            (value) => `${field}: ${typeof value === 'string' ? shownValue(value).slice(1, -1) : shownValue(value)}`,
          ),
      );
  return rows.flatMap(({ allows, forbids }) => [...at(allows, true), ...at(forbids, false)]);
}

/** What a path such as `ports[].hostPort` leads to; nothing where a field is not given. */
function valuesAt(value: unknown, [key, ...rest]: string[]): unknown[] {
  if (key === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  const inner = (value as Record<string, unknown>)[key.replace('[]', '')];
  if (inner === undefined || inner === null) return [];
  const each = key.endsWith('[]') && Array.isArray(inner) ? (inner as unknown[]) : [inner];
  return each.flatMap((item) => valuesAt(item, rest));
}
