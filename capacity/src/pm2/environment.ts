import { UsageError } from '../core/errors.js';
import type { EnvVar } from 'kubernetes-types/core/v1.js';
import { EMBEDDED_SERVICES } from '../chart/environment.js';
import { componentOf, type KubernetesObject } from '../chart/objects.js';
import type { Pod } from '../chart/pods.js';

/** The value of a variable in the file: text as it is, or JavaScript that is run when PM2 reads the file. */
export type Value = string | { code: string };

/** What the one who starts PM2 must have in the environment, which the file never holds. */
const given = (name: string): Value => ({ code: `given('${name}')` });

/** The chart's own hooks (connections that are drained), for which the file has its launcher. */
const CHART_HOOKS = '/opt/n8n-tuned/hooks.js';

/**
 * The environment of a pod's container as the file says it: what comes from a Secret of the cluster, or is a file that is
 * mounted there, is asked for by name; embedded services are expected on this machine.
 * @throws UsageError that names what is known in a cluster only
 */
export function pm2Environment(pod: Pod, objects: KubernetesObject[]): Record<string, Value> {
  const environment: Record<string, Value> = {};
  refuseUnknown(pod);
  for (const variable of pod.container.env ?? []) {
    const value = valueOf(variable, pod);
    if (value !== undefined) environment[variable.name] = value;
  }
  return { ...environment, ...onThisMachine(environment, objects) };
}

function refuseUnknown({ component, container }: Pod): void {
  for (const { configMapRef, secretRef } of container.envFrom ?? [])
    throw new UsageError(
      `${component}: envFrom names ${configMapRef ? 'the ConfigMap' : 'the Secret'} ${(configMapRef ?? secretRef)!.name}, whose variables only the cluster knows: name each of them in extraEnv.`,
    );
}

function valueOf({ name, value = '', valueFrom }: EnvVar, pod: Pod): Value | undefined {
  if (valueFrom?.secretKeyRef?.optional || valueFrom?.configMapKeyRef?.optional) return undefined;
  if (valueFrom?.fieldRef)
    throw new UsageError(
      `${pod.component}: ${name} is the pod's ${valueFrom.fieldRef.fieldPath}, which PM2 does not know: leave it out of extraEnv.`,
    );
  if (valueFrom || isMounted(value, pod))
    return name === 'EXTERNAL_HOOK_FILES' && value === CHART_HOOKS ? undefined : given(name);
  return isSecret(name, value) ? given(name) : value;
}

/** Of extraEnv, by its name or as an address with a password. The other names hold a path, or a key's beginning in Redis. */
const isSecret = (name: string, value: string) =>
  (/pass|secret|token|key|credential/i.test(name) && !/_(FILE|PREFIX)$/.test(name) && !/^(true|false|)$/.test(value)) ||
  /:\/\/[^/\s]*:[^/\s]*@/.test(value);

const isMounted = (value: string, { container }: Pod) =>
  (container.volumeMounts ?? []).some(({ mountPath }) => value.startsWith(`${mountPath}/`));

/** Services that are embedded in the cluster are for the user to run here; where, the environment may say. */
function onThisMachine(environment: Record<string, Value>, objects: KubernetesObject[]): Record<string, Value> {
  const moved: Record<string, Value> = {};
  for (const [component, [host, port]] of Object.entries(EMBEDDED_SERVICES)) {
    if (!objects.some((o) => o.kind === 'StatefulSet' && componentOf(o) === component)) continue;
    if (environment[host] !== undefined) moved[host] = ofTheShell(host, '127.0.0.1');
    if (typeof environment[port] === 'string') moved[port] = ofTheShell(port, environment[port]);
  }
  return moved;
}

/** A variable of the one who starts PM2, with what it is without. */
export const ofTheShell = (name: string, otherwise: string): Value => ({
  code: `process.env.${name} ?? '${otherwise}'`,
});
