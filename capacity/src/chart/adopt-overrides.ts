import type { Container, EnvVar } from 'kubernetes-types/core/v1.js';
import { UsageError } from '../core/errors.js';
import { isVariableName } from '../core/variables.js';
import type { Component } from '../model/events.js';
import type { Overrides } from '../model/plan.js';
import { COMPONENT_LABEL, type KubernetesObject } from './objects.js';

/** The variables among the overrides. */
export const variablesIn = (overrides: Overrides): Record<string, string> =>
  Object.fromEntries(
    Object.entries(overrides)
      .filter(([name]) => isVariableName(name))
      .map(([name, value]) => [name, String(value)]),
  );

/** Applies each override that is not a variable. Each throws UsageError if the deployment has no such part. */
const PART_CHANGES: Record<string, (deployments: KubernetesObject[], value: string) => void> = {
  workers: (deployments, value) => setReplicas(deployments, 'worker', value),
  webhooks: (deployments, value) => setReplicas(deployments, 'webhook', value),
  cpu: (deployments, value) => setLimit(deployments, 'cpu', value),
  memory: (deployments, value) => setLimit(deployments, 'memory', value),
  heap: (deployments, value) => executingParts(deployments).forEach(({ container }) => setHeap(container, value)),
  concurrency: (deployments, value) =>
    executingParts(deployments).forEach(({ component, container }) => {
      // In a worker, the variable wins over the argument.
      if (component === 'worker') setArgument(container, '--concurrency', value);
      if (component === 'main' || findVariable(container, CONCURRENCY_LIMIT))
        setVariable(container, CONCURRENCY_LIMIT, value);
    }),
};

const CONCURRENCY_LIMIT = 'N8N_CONCURRENCY_PRODUCTION_LIMIT';

/**
 * Changes parts of n8n's Deployments.
 * @throws UsageError for a part that is unknown, or that the deployment does not have
 */
export function changeParts(deployments: KubernetesObject[], overrides: Overrides): void {
  for (const [name, value] of Object.entries(overrides)) {
    if (isVariableName(name)) continue;
    const change = PART_CHANGES[name];
    if (!change) throw new Error(`unknown override ${name}`);
    change(deployments, String(value));
  }
}

/** Notes on the overrides for the record. They omit the values of variables, which may be secret. */
export const overrideNotes = (overrides: Overrides): string[] =>
  Object.entries(overrides).map(([name, value]) =>
    isVariableName(name) ? `${name} is set by this run` : `${name} is ${String(value)} in this run`,
  );

interface Part {
  object: KubernetesObject;
  component: Component;
  container: Container;
}

const listParts = (deployments: KubernetesObject[]): Part[] =>
  deployments.flatMap((object): Part[] => {
    const component = object.metadata.labels?.[COMPONENT_LABEL] as Component;
    return (object.spec?.template?.spec?.containers ?? []).map((container) => ({ object, component, container }));
  });

/** The containers that run executions: workers, or main if there are none. */
function executingParts(deployments: KubernetesObject[]): Part[] {
  const parts = listParts(deployments);
  const workers = parts.filter(({ component }) => component === 'worker');
  return workers.length > 0 ? workers : parts.filter(({ component }) => component === 'main');
}

function setReplicas(deployments: KubernetesObject[], component: Component, replicas: string): void {
  const parts = listParts(deployments).filter((part) => part.component === component);
  if (parts.length === 0)
    throw new UsageError(`${component}s=${replicas}: the manifests have no ${component}; add one to them.`);
  for (const { object } of parts) object.spec!.replicas = Number(replicas);
}

function setLimit(deployments: KubernetesObject[], name: 'cpu' | 'memory', value: string): void {
  for (const { container } of executingParts(deployments)) {
    const { limits, requests } = container.resources ?? {};
    container.resources = { limits: { ...limits, [name]: value }, requests: { ...requests, [name]: value } };
  }
}

const findVariable = ({ env }: Container, name: string): EnvVar | undefined => env?.findLast((e) => e.name === name);

function setVariable(container: Container, name: string, value: string): void {
  container.env = [...(container.env ?? []).filter((e) => e.name !== name), { name, value }];
}

function setArgument(container: Container, name: string, value: string): void {
  const args = container.args ?? [];
  const others = args.filter((arg, i) => arg !== name && args[i - 1] !== name && !arg.startsWith(`${name}=`));
  container.args = [...others, `${name}=${value}`];
}

const HEAP_OPTION = '--max-old-space-size';

function setHeap(container: Container, mebibytes: string): void {
  const options = findVariable(container, 'NODE_OPTIONS')?.value ?? '';
  const others = options.replace(new RegExp(`${HEAP_OPTION}[= ]\\d+`), '').trim();
  setVariable(container, 'NODE_OPTIONS', `${others} ${HEAP_OPTION}=${mebibytes}`.trim());
}
