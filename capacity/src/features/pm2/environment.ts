import { UsageError } from '../../core/errors.js';
import type { EnvVar } from 'kubernetes-types/core/v1.js';
import { EMBEDDED_SERVICES } from '../../chart/environment.js';
import { componentOf, type KubernetesObject } from '../../chart/objects.js';
import type { Pod } from '../../chart/pods.js';
import { withoutPreloads } from '../../chart/preload.js';
import { isLikelySecret } from '../../chart/secret-names.js';

/** The value of a variable in the file: plain text, or JavaScript that runs when PM2 reads the file. */
export type VariableValue = string | { code: string };

/** A value that must be in the environment of `pm2 start`; the file never holds it. */
const requiredFromShell = (name: string): VariableValue => ({ code: `given('${name}')` });

/** The chart's hooks, which the file holds. */
const CHART_HOOKS = '/opt/n8n-tuned/hooks.js';

/**
 * Variables of hooks that PM2 does not need. The launcher drains connections, there are no probes and no memory limit of a
 * container, and the user's hooks come from the environment.
 */
const POD_VARIABLES = [
  'N8N_TUNED_COLLECT_IN_TIME',
  'N8N_TUNED_DRAIN_CONNECTIONS',
  'N8N_TUNED_OTHER_HOOK_FILES',
  'N8N_TUNED_READINESS_PATH',
];

/**
 * The environment of a pod's container for the file. Values of Secrets and paths of mounted files are read from the
 * environment of `pm2 start`; embedded services are expected on this machine.
 * @throws UsageError that names a variable whose value only a cluster knows
 */
export function pm2Environment(pod: Pod, objects: KubernetesObject[]): Record<string, VariableValue> {
  const environment: Record<string, VariableValue> = {};
  refuseEnvFrom(pod);
  for (const variable of pod.container.env ?? []) {
    const value = variableValue(variable, pod);
    if (value !== undefined) environment[variable.name] = value;
  }
  return { ...environment, ...serviceAddresses(environment, objects) };
}

function refuseEnvFrom({ component, container }: Pod): void {
  for (const { configMapRef, secretRef } of container.envFrom ?? [])
    throw new UsageError(
      `${component}: envFrom refers to the ${configMapRef ? 'ConfigMap' : 'Secret'} ${(configMapRef ?? secretRef)!.name}, whose variables are unknown here; list each of them in extraEnv.`,
    );
}

function variableValue({ name, value = '', valueFrom }: EnvVar, pod: Pod): VariableValue | undefined {
  if (POD_VARIABLES.includes(name)) return undefined;
  if (valueFrom?.secretKeyRef?.optional || valueFrom?.configMapKeyRef?.optional) return undefined;
  if (valueFrom?.fieldRef)
    throw new UsageError(
      `${pod.component}: ${name} is the pod's ${valueFrom.fieldRef.fieldPath}, which PM2 does not have; remove it from extraEnv.`,
    );
  if (name === 'NODE_OPTIONS' && !valueFrom) return withoutPreloads(value);
  if (valueFrom || isMounted(value, pod))
    return name === 'EXTERNAL_HOOK_FILES' && value === CHART_HOOKS ? undefined : requiredFromShell(name);
  return isSecret(name, value) ? requiredFromShell(name) : value;
}

/** Whether a plain value may be a secret. The chart itself refuses a password in a URL. */
const isSecret = (name: string, value: string) =>
  isLikelySecret(name) && !/_(FILE|PREFIX)$/.test(name) && !/^(true|false|)$/.test(value);

const isMounted = (value: string, { container }: Pod) =>
  (container.volumeMounts ?? []).some(({ mountPath }) => value.startsWith(`${mountPath}/`));

/** Addresses of the embedded services, which the user runs: this machine, or those in the environment of `pm2 start`. */
function serviceAddresses(
  environment: Record<string, VariableValue>,
  objects: KubernetesObject[],
): Record<string, VariableValue> {
  const moved: Record<string, VariableValue> = {};
  for (const [component, [host, port]] of Object.entries(EMBEDDED_SERVICES)) {
    if (!objects.some((o) => o.kind === 'StatefulSet' && componentOf(o) === component)) continue;
    if (environment[host] !== undefined) moved[host] = optionalFromShell(host, '127.0.0.1');
    if (typeof environment[port] === 'string') moved[port] = optionalFromShell(port, environment[port]);
  }
  return moved;
}

/** A variable of the environment of `pm2 start`, with its default. */
export const optionalFromShell = (name: string, otherwise: string): VariableValue => ({
  code: `process.env.${name} ?? '${otherwise}'`,
});
