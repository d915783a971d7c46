import type { Component, Limits } from '../model/events.js';
import type { DeploymentRecord } from '../model/run.js';
import { UsageError } from '../core/errors.js';
import type { Container, Lifecycle, PodSpec, Volume } from 'kubernetes-types/core/v1.js';
import { componentOf, quantity, type KubernetesObject } from './objects.js';

/** One pod of the render, to be run as one local process tree. */
export interface Pod {
  name: string;
  component: Component;
  container: Container;
  volumes: Volume[];
  limits: Limits;
  /** What the scheduler keeps for it. */
  requests: Limits;
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
 * Throws UsageError that names what local processes cannot honour, rather than measure something else.
 */
export function podsOf(objects: KubernetesObject[]): Pod[] {
  for (const object of objects) {
    if (isWorkload(object)) refuseWorkload(object);
    else if (object.kind === 'Job' && object.metadata.annotations?.[MAKES_SECRET]) continue;
    else if (object.kind === 'Pod' && object.metadata.annotations?.['helm.sh/hook'] === 'test') continue;
    else if (!WITHOUT_PROCESSES.has(object.kind)) throw cannotHonour(`${object.kind} ${object.metadata.name}`);
  }
  return describedPods(objects);
}

/**
 * The chart's pods as the render describes them, databases first; where an autoscaler decides how many there are, as many
 * as it starts with. Workloads that are not the chart's own are left out.
 */
export function describedPods(objects: KubernetesObject[]): Pod[] {
  const order: Component[] = ['postgresql', 'redis', 'main', 'worker', 'webhook'];
  return objects
    .filter((object) => isWorkload(object) && COMPONENTS.includes(componentOf(object)!))
    .flatMap((object) => podsOfWorkload(object, leastReplicas(object, objects)))
    .sort((a, b) => order.indexOf(a.component) - order.indexOf(b.component));
}

const isWorkload = ({ kind }: KubernetesObject) => kind === 'Deployment' || kind === 'StatefulSet';

/** How many pods a workload has at least; an autoscaler of KEDA or Kubernetes says it where the workload itself does not. */
function leastReplicas({ metadata, spec }: KubernetesObject, objects: KubernetesObject[]): number {
  const scaler = scalerOf({ metadata }, objects)?.spec;
  return spec?.replicas ?? scaler?.minReplicas ?? scaler?.minReplicaCount ?? 1;
}

const scalerOf = ({ metadata }: Pick<KubernetesObject, 'metadata'>, objects: KubernetesObject[]) =>
  objects.find((o) => o.spec?.scaleTargetRef?.name === metadata.name);

/** What changes the number of pods of a component. */
export function autoscalersOf(objects: KubernetesObject[]): NonNullable<DeploymentRecord['autoscalers']> {
  return objects.filter(isWorkload).flatMap((workload) => {
    const scaler = scalerOf(workload, objects);
    if (!scaler?.spec) return [];
    const { maxReplicas, maxReplicaCount } = scaler.spec;
    // Kubernetes asks for it; KEDA has a default.
    const most = maxReplicas ?? maxReplicaCount ?? 100;
    const least = leastReplicas(workload, objects);
    return [{ component: componentOf(workload)!, kind: scaler.kind, minReplicas: least, maxReplicas: most }];
  });
}

function refuseWorkload(object: KubernetesObject): void {
  const owner = `${object.kind} ${object.metadata.name}`;
  const spec = object.spec?.template?.spec;
  if (!spec) throw cannotHonour(`${owner} without a pod template`);
  for (const init of spec.initContainers ?? []) throw cannotHonour(`init container ${init.name} of ${owner}`);
  for (const sidecar of spec.containers.slice(1)) throw cannotHonour(`sidecar ${sidecar.name} of ${owner}`);
  const container = spec.containers[0]!;
  if (container.lifecycle && !onlyServesOn(container.lifecycle)) throw cannotHonour(`lifecycle hook of ${owner}`);
  if (object.spec?.replicas === undefined) throw cannotHonour(`autoscaling of ${owner} (no replicas in the render)`);
  const component = componentOf(object);
  if (!component || !COMPONENTS.includes(component)) throw cannotHonour(`${owner} (component "${component}")`);
}

function podsOfWorkload(object: KubernetesObject, replicas: number): Pod[] {
  const spec = object.spec!.template!.spec;
  const container = spec.containers[0]!;
  return Array.from({ length: replicas }, (_, index) => ({
    name: `${object.metadata.name}-${index}`,
    component: componentOf(object)!,
    container,
    volumes: spec.volumes ?? [],
    limits: limitsOf(spec),
    requests: requestsOf(spec),
    graceSeconds: spec.terminationGracePeriodSeconds ?? 30,
  }));
}

/**
 * The chart's own preStop keeps a pod serving until its Service has left it out. Local processes have no Service, and only
 * end with the measurement, so it is left out.
 */
const onlyServesOn = ({ preStop, ...others }: Lifecycle) =>
  Object.keys(others).length === 0 && /^touch \S+; sleep \d+$/.test(preStop?.exec?.command?.at(-1) ?? '');

type Resource = 'cpu' | 'memory';

/** What all containers of a pod may use together; none where one of them has no limit. */
const limitsOf = (spec: PodSpec): Limits =>
  amounts((resource) => sum(lasting(spec).map((c) => quantity(c.resources?.limits?.[resource] ?? ''))));

/** What the scheduler keeps for a pod: for all that run together, or for the one that is run before them and needs more. */
export function requestsOf(spec: PodSpec): Limits {
  const requested = ({ resources }: Container, resource: Resource) =>
    quantity(resources?.requests?.[resource] ?? resources?.limits?.[resource] ?? 0);
  const before = (spec.initContainers ?? []).filter((c) => !isSidecar(c));
  return amounts((resource) =>
    Math.max(sum(lasting(spec).map((c) => requested(c, resource))), ...before.map((c) => requested(c, resource))),
  );
}

/** Containers that run as long as the pod does. */
const lasting = ({ containers, initContainers = [] }: PodSpec) => [...containers, ...initContainers.filter(isSidecar)];

const isSidecar = ({ restartPolicy }: Container) => restartPolicy === 'Always';

function amounts(of: (resource: Resource) => number): Limits {
  const [cpu, memory] = [of('cpu'), of('memory')];
  return {
    ...(cpu > 0 && { cpuMillis: Math.round(cpu * 1000) }),
    ...(memory > 0 && { memoryBytes: Math.round(memory) }),
  };
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

const cannotHonour = (what: string) =>
  new UsageError(
    `local processes cannot honour ${what}: switch it off in the values for this measurement, or measure on the cluster.`,
  );
