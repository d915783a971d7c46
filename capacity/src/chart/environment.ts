import { randomBytes } from 'node:crypto';
import { UsageError } from '../core/errors.js';
import type { Container, EnvVar } from 'kubernetes-types/core/v1.js';
import type { KubernetesObject } from './objects.js';
import { MAKES_SECRET } from './pods.js';

/** n8n's variables for the host and port of each service that the chart can embed, by component. */
export const EMBEDDED_SERVICES = {
  postgresql: ['DB_POSTGRESDB_HOST', 'DB_POSTGRESDB_PORT'],
  redis: ['QUEUE_BULL_REDIS_HOST', 'QUEUE_BULL_REDIS_PORT'],
} as const;

/** Where the values of a pod's environment come from. */
export interface EnvironmentSources {
  objects: KubernetesObject[];
  /** Values of the Secrets that a Job of the chart creates in the cluster; undefined for other Secrets. */
  generated: (secret: string, key: string) => string | undefined;
  podName: string;
}

/**
 * The environment of a container as the kubelet would set it: `envFrom` first, then `env` in order, with `$(NAME)` expanded
 * from the variables before it.
 * @throws UsageError that names the variable whose value is not in the render
 */
export function containerEnvironment(container: Container, sources: EnvironmentSources): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const from of container.envFrom ?? []) {
    const kind = from.configMapRef ? 'ConfigMap' : 'Secret';
    const name = (from.configMapRef ?? from.secretRef)!.name;
    const object = findObject(sources.objects, kind, name);
    if (!object)
      throw new UsageError(
        `${container.name}: envFrom refers to the ${kind} ${name}, which the chart does not render.`,
      );
    for (const [key, value] of Object.entries(decodeData(object))) environment[`${from.prefix ?? ''}${key}`] = value;
  }
  for (const variable of container.env ?? []) {
    const value = resolveVariable(variable, sources);
    if (value !== undefined) environment[variable.name] = expandReferences(value, environment);
  }
  return environment;
}

function resolveVariable(variable: EnvVar, sources: EnvironmentSources): string | undefined {
  const { secretKeyRef, configMapKeyRef, fieldRef } = variable.valueFrom ?? {};
  if (secretKeyRef) {
    const rendered = findObject(sources.objects, 'Secret', secretKeyRef.name);
    const { name = '', key, optional } = secretKeyRef;
    const value = (rendered && decodeData(rendered)[key]) ?? sources.generated(name, key);
    return value ?? (optional ? undefined : refuseClusterValue(variable, `Secret ${name}`));
  }
  if (configMapKeyRef) {
    const object = findObject(sources.objects, 'ConfigMap', configMapKeyRef.name);
    const value = object && decodeData(object)[configMapKeyRef.key];
    return (
      value ??
      (configMapKeyRef.optional ? undefined : refuseClusterValue(variable, `ConfigMap ${configMapKeyRef.name}`))
    );
  }
  if (fieldRef)
    return podField(fieldRef.fieldPath, sources.podName) ?? refuseClusterValue(variable, `field ${fieldRef.fieldPath}`);
  return variable.value ?? '';
}

function refuseClusterValue(variable: EnvVar, source: string): never {
  throw new UsageError(
    `${variable.name} comes from ${source}, which exists only in a cluster; to measure with local processes, use a generated Secret (leave the existingSecret value empty).`,
  );
}

const podField = (path: string, podName: string): string | undefined =>
  ({ 'metadata.name': podName, 'metadata.namespace': 'default', 'status.podIP': '127.0.0.1' })[path];

const findObject = (objects: KubernetesObject[], kind: string, name: string | undefined) =>
  objects.find((o) => o.kind === kind && o.metadata.name === name);

function decodeData({ kind, data = {}, stringData }: KubernetesObject): Record<string, string> {
  const decode = (value: string) => (kind === 'Secret' ? Buffer.from(value, 'base64').toString() : value);
  return { ...Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decode(value)])), ...stringData };
}

const expandReferences = (value: string, known: Record<string, string>) =>
  value.replace(/\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g, (whole, name: string) => known[name] ?? whole);

/** A random value in the form that the chart's Job uses: safe in a URL, a shell and a configuration file. */
export const randomSecret = (): string => randomBytes(24).toString('hex');

/**
 * The Secrets that the chart's Job would create in the cluster. A value is generated on first use and stays the same;
 * undefined for a Secret that no Job of the render creates.
 */
export function generateSecrets(objects: KubernetesObject[]): (secret: string, key: string) => string | undefined {
  const values = new Map<string, string>();
  return (secret, key) => {
    if (!objects.some((o) => o.metadata.annotations?.[MAKES_SECRET] === secret)) return undefined;
    const id = `${secret}/${key}`;
    if (!values.has(id)) values.set(id, randomSecret());
    return values.get(id);
  };
}
