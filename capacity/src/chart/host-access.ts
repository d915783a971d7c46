import type { Container, PodSpec } from 'kubernetes-types/core/v1.js';
import type { KubernetesObject } from './objects.js';

/** Namespaces of the node that a pod can ask for. */
const NAMESPACES = ['hostNetwork', 'hostPID', 'hostIPC'] as const;

/**
 * What of a workload reaches beyond its container in a cluster, each as a sentence: n8n needs none of it.
 * @param workload with the container that runs n8n; others are left out
 */
export function hostProblems({ object, container }: { object: KubernetesObject; container: Container }): string[] {
  const pod: Partial<PodSpec> = object.spec?.template?.spec ?? {};
  const { privileged, procMount, windowsOptions } = container.securityContext ?? {};
  const asked = [
    ...NAMESPACES.filter((name) => pod[name] === true).map((name) => `${name}: true`),
    ...(privileged ? ['securityContext.privileged: true'] : []),
    ...(procMount !== undefined && procMount !== 'Default' ? [`securityContext.procMount: ${procMount}`] : []),
    ...((windowsOptions ?? pod.securityContext?.windowsOptions)?.hostProcess
      ? ['windowsOptions.hostProcess: true']
      : []),
  ];
  return asked.map(
    (what) =>
      `${object.kind} ${object.metadata.name}: ${what}: gives the pod rights on its node, which n8n does not need; remove it.`,
  );
}
