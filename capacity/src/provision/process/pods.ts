import { InputError } from '../../errors.js';
import type { Component, Limits } from '../deployment.js';
import { quantity, type ContainerSpec, type KubernetesObject, type Lifecycle } from './kubernetes.js';

/** One pod of the render, to be run as one local process tree. */
export interface Pod {
  name: string;
  component: Component;
  container: ContainerSpec;
  limits: Limits;
  graceSeconds: number;
}

/** Kinds that say nothing about which processes run, so that leaving them out changes no measurement. */
const WITHOUT_PROCESSES = new Set([
  ...['Service', 'ServiceAccount', 'ConfigMap', 'Secret', 'PersistentVolumeClaim', 'Role', 'RoleBinding'],
  ...['NetworkPolicy', 'Ingress', 'HTTPRoute', 'PodDisruptionBudget', 'ServiceMonitor', 'PodMonitor', 'PrometheusRule'],
]);

const COMPONENTS: readonly Component[] = ['main', 'worker', 'webhook', 'postgresql', 'redis'];

/** Marks the Job that makes the release's Secret in the cluster; the provisioner makes the same values itself. */
export const MAKES_SECRET = 'n8n-tuned.io/makes-secret';

/**
 * Every pod that the render starts, as many as `replicas` says, databases first.
 * Throws InputError that names what local processes cannot honour, rather than measure something else.
 */
export function podsOf(objects: KubernetesObject[]): Pod[] {
  const pods = objects.flatMap((object) => {
    if (object.kind === 'Deployment' || object.kind === 'StatefulSet') return podsOfWorkload(object);
    if (object.kind === 'Job' && object.metadata.annotations?.[MAKES_SECRET]) return [];
    if (object.kind === 'Pod' && object.metadata.annotations?.['helm.sh/hook'] === 'test') return [];
    if (WITHOUT_PROCESSES.has(object.kind)) return [];
    throw cannotHonour(`${object.kind} ${object.metadata.name}`);
  });
  const order: Component[] = ['postgresql', 'redis', 'main', 'worker', 'webhook'];
  return pods.sort((a, b) => order.indexOf(a.component) - order.indexOf(b.component));
}

function podsOfWorkload(object: KubernetesObject): Pod[] {
  const owner = `${object.kind} ${object.metadata.name}`;
  const spec = object.spec?.template?.spec;
  if (!spec) throw cannotHonour(`${owner} without a pod template`);
  for (const init of spec.initContainers ?? []) throw cannotHonour(`init container ${init.name} of ${owner}`);
  for (const sidecar of spec.containers.slice(1)) throw cannotHonour(`sidecar ${sidecar.name} of ${owner}`);
  const container = spec.containers[0]!;
  if (container.lifecycle && !onlySleeps(container.lifecycle)) throw cannotHonour(`lifecycle hook of ${owner}`);
  if (object.spec?.replicas === undefined) throw cannotHonour(`autoscaling of ${owner} (no replicas in the render)`);

  const component = object.metadata.labels?.['app.kubernetes.io/component'] as Component;
  if (!COMPONENTS.includes(component)) throw cannotHonour(`${owner} (component "${component}")`);
  return Array.from({ length: object.spec.replicas }, (_, index) => ({
    name: `${object.metadata.name}-${index}`,
    component,
    container,
    limits: limitsOf(container),
    graceSeconds: spec.terminationGracePeriodSeconds ?? 30,
  }));
}

/**
 * A sleep before the end keeps a pod serving until its Service has left it out. Local processes have no Service, and only
 * end with the measurement, so it is left out.
 */
const onlySleeps = ({ preStop, ...others }: Lifecycle) =>
  Object.keys(others).length === 0 && (preStop?.sleep !== undefined || preStop?.exec?.command[0] === 'sleep');

function limitsOf(container: ContainerSpec): Limits {
  const { cpu, memory } = container.resources?.limits ?? {};
  return {
    ...(cpu !== undefined && { cpuMillis: Math.round(quantity(cpu) * 1000) }),
    ...(memory !== undefined && { memoryBytes: Math.round(quantity(memory)) }),
  };
}

const cannotHonour = (what: string) =>
  new InputError(
    `local processes cannot honour ${what}: switch it off in the values for this measurement, or measure on the cluster.`,
  );
