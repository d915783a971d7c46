import { autoscalersOf, describedPods } from '../chart/pods.js';
import type { KubernetesObject } from '../chart/objects.js';

/** Kinds that the apps are made of, or that nothing on one machine needs. */
const HONOURED = new Set([
  ...['Deployment', 'StatefulSet', 'ConfigMap', 'Secret', 'Service', 'ServiceAccount', 'Role', 'RoleBinding'],
  ...['PersistentVolumeClaim', 'Job', 'Pod', 'PodDisruptionBudget'],
]);

/** What the chart has and PM2 has not, a line each. */
export function leftOut(objects: KubernetesObject[]): string[] {
  const limited = describedPods(objects).some((pod) => pod.limits.cpuMillis !== undefined);
  const scalers = autoscalersOf(objects).map(
    ({ component, kind, minReplicas, maxReplicas }) =>
      `the ${kind} of ${component}: PM2 starts ${minReplicas}, its minimum; it would have scaled to ${maxReplicas}`,
  );
  const scaled = new Set(['HorizontalPodAutoscaler', 'ScaledObject', 'TriggerAuthentication']);
  const others = objects.filter(({ kind }) => !HONOURED.has(kind) && !scaled.has(kind));
  return [
    ...(limited ? ['CPU limits: every process may use every core'] : []),
    'memory limits: nothing but V8 and max_memory_restart bounds a process',
    'probes: PM2 starts again what has ended, not what hangs',
    ...scalers,
    ...[...new Set(others.map(({ kind, metadata }) => `${kind} ${metadata.name}`))],
  ];
}
