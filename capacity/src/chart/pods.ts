import type { Component, Limits } from '../model/events.js';
import type { DeploymentRecord } from '../model/run.js';
import { UsageError } from '../core/errors.js';
import type { Container, Lifecycle, PodSpec, Volume } from 'kubernetes-types/core/v1.js';
import { componentOf, isRescue, parseQuantity, type KubernetesObject } from './objects.js';

/** One pod of the render. */
export interface Pod {
  name: string;
  component: Component;
  container: Container;
  volumes: Volume[];
  limits: Limits;
  /** Resources that the scheduler reserves for it. */
  requests: Limits;
  graceSeconds: number;
}

/** Kinds that start no process, so that ignoring them changes no measurement. */
const WITHOUT_PROCESSES = new Set([
  ...['Service', 'ServiceAccount', 'ConfigMap', 'Secret', 'PersistentVolumeClaim', 'Role', 'RoleBinding'],
  ...['NetworkPolicy', 'Ingress', 'HTTPRoute', 'PodDisruptionBudget', 'ServiceMonitor', 'PodMonitor', 'PrometheusRule'],
]);

const COMPONENTS: readonly Component[] = ['main', 'worker', 'webhook', 'postgresql', 'redis'];

/** Annotation of the Job that creates the release's Secret in the cluster; local processes generate the values instead. */
export const MAKES_SECRET = 'n8n-tuned.io/makes-secret';

/**
 * Every pod that the render starts, `replicas` of each workload, databases first.
 * @throws UsageError that names what local processes cannot honour
 */
export function listLocalPods(objects: KubernetesObject[]): Pod[] {
  for (const object of objects) {
    // The rescue does nothing until an execution of a workflow with its tag has crashed.
    if (isRescue(object)) continue;
    if (isWorkload(object)) refuseUnsupported(object);
    else if (object.kind === 'Job' && object.metadata.annotations?.[MAKES_SECRET]) continue;
    else if (object.kind === 'Pod' && object.metadata.annotations?.['helm.sh/hook'] === 'test') continue;
    else if (!WITHOUT_PROCESSES.has(object.kind)) throw unsupportedError(`${object.kind} ${object.metadata.name}`);
  }
  return renderedPods(objects);
}

/**
 * The chart's pods as the render describes them, databases first. With an autoscaler, its minimum number of pods. Workloads
 * of other components are left out.
 */
export function renderedPods(objects: KubernetesObject[]): Pod[] {
  const order: Component[] = ['postgresql', 'redis', 'main', 'worker', 'webhook'];
  return objects
    .filter((object) => isWorkload(object) && COMPONENTS.includes(componentOf(object)!))
    .flatMap((object) => podsOfWorkload(object, leastReplicas(object, objects)))
    .sort((a, b) => order.indexOf(a.component) - order.indexOf(b.component));
}

const isWorkload = ({ kind }: KubernetesObject) => kind === 'Deployment' || kind === 'StatefulSet';

/** The least number of pods of a workload: its replicas, or the minimum of its autoscaler (Kubernetes or KEDA). */
function leastReplicas({ metadata, spec }: KubernetesObject, objects: KubernetesObject[]): number {
  const scaler = scalerOf({ metadata }, objects)?.spec;
  return spec?.replicas ?? scaler?.minReplicas ?? scaler?.minReplicaCount ?? 1;
}

const scalerOf = ({ metadata }: Pick<KubernetesObject, 'metadata'>, objects: KubernetesObject[]) =>
  objects.find((o) => o.spec?.scaleTargetRef?.name === metadata.name);

/** The autoscalers of the render's workloads. */
export function listAutoscalers(objects: KubernetesObject[]): NonNullable<DeploymentRecord['autoscalers']> {
  return objects.filter(isWorkload).flatMap((workload) => {
    const scaler = scalerOf(workload, objects);
    if (!scaler?.spec) return [];
    const { maxReplicas, maxReplicaCount } = scaler.spec;
    // Required by Kubernetes; KEDA's default is 100.
    const most = maxReplicas ?? maxReplicaCount ?? 100;
    const least = leastReplicas(workload, objects);
    return [{ component: componentOf(workload)!, kind: scaler.kind, minReplicas: least, maxReplicas: most }];
  });
}

function refuseUnsupported(object: KubernetesObject): void {
  const owner = `${object.kind} ${object.metadata.name}`;
  const spec = object.spec?.template?.spec;
  if (!spec) throw unsupportedError(`${owner} without a pod template`);
  for (const init of spec.initContainers ?? []) throw unsupportedError(`init container ${init.name} of ${owner}`);
  for (const sidecar of spec.containers.slice(1)) throw unsupportedError(`sidecar ${sidecar.name} of ${owner}`);
  const container = spec.containers[0]!;
  if (container.lifecycle && !isChartPreStop(container.lifecycle)) throw unsupportedError(`lifecycle hook of ${owner}`);
  if (object.spec?.replicas === undefined)
    throw unsupportedError(`autoscaling of ${owner} (no replicas in the render)`);
  const component = componentOf(object);
  if (!component || !COMPONENTS.includes(component)) throw unsupportedError(`${owner} (component "${component}")`);
}

function podsOfWorkload(object: KubernetesObject, replicas: number): Pod[] {
  const spec = object.spec!.template!.spec;
  const container = spec.containers[0]!;
  return Array.from({ length: replicas }, (_, index) => ({
    name: `${object.metadata.name}-${index}`,
    component: componentOf(object)!,
    container,
    volumes: spec.volumes ?? [],
    limits: podLimits(spec),
    requests: podRequests(spec),
    graceSeconds: spec.terminationGracePeriodSeconds ?? 30,
  }));
}

/**
 * Whether a lifecycle has only the chart's preStop hook, which keeps a pod serving until its Service no longer routes to it.
 * Local processes have no Service and end with the measurement, so that hook is ignored.
 */
const isChartPreStop = ({ preStop, ...others }: Lifecycle) =>
  Object.keys(others).length === 0 && /^touch \S+; sleep \d+$/.test(preStop?.exec?.command?.at(-1) ?? '');

type Resource = 'cpu' | 'memory';

/** The sum of the limits of a pod's containers; no limit if one container has none. */
const podLimits = (spec: PodSpec): Limits =>
  toLimits((resource) => sum(lastingContainers(spec).map((c) => parseQuantity(c.resources?.limits?.[resource] ?? ''))));

/** Resources that the scheduler reserves for a pod: the sum of its lasting containers, or its largest init container if more. */
export function podRequests(spec: PodSpec): Limits {
  const requested = ({ resources }: Container, resource: Resource) =>
    parseQuantity(resources?.requests?.[resource] ?? resources?.limits?.[resource] ?? 0);
  const before = (spec.initContainers ?? []).filter((c) => !isSidecar(c));
  return toLimits((resource) =>
    Math.max(
      sum(lastingContainers(spec).map((c) => requested(c, resource))),
      ...before.map((c) => requested(c, resource)),
    ),
  );
}

/** Containers that run as long as the pod does. */
const lastingContainers = ({ containers, initContainers = [] }: PodSpec) => [
  ...containers,
  ...initContainers.filter(isSidecar),
];

const isSidecar = ({ restartPolicy }: Container) => restartPolicy === 'Always';

function toLimits(of: (resource: Resource) => number): Limits {
  const [cpu, memory] = [of('cpu'), of('memory')];
  return {
    ...(cpu > 0 && { cpuMillis: Math.round(cpu * 1000) }),
    ...(memory > 0 && { memoryBytes: Math.round(memory) }),
  };
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

const unsupportedError = (what: string) =>
  new UsageError(`local processes cannot honour ${what}: disable it in the values, or use --provisioner kubernetes.`);
