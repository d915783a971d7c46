import { posix } from 'node:path';
import type { Container, EnvFromSource, EnvVar, Volume } from 'kubernetes-types/core/v1.js';
import { UsageError } from '../core/errors.js';
import { RELOCATING_VARIABLES, stripFileSuffix } from '../core/variables.js';
import type { DeploymentPlace } from './adopt-databases.js';
import { containerEnvironment, randomSecret } from './environment.js';
import { normalizeMountPath } from './mount-paths.js';
import type { KubernetesObject } from './objects.js';
import { isLikelySecret } from './secret-names.js';

/** The environment of an n8n container, and notes on where it differs from the manifests. */
export interface AdoptedEnvironment {
  environment: Record<string, string>;
  notes: string[];
}

/** Looks up the value of a Secret that exists only in the cluster. The same key always gives the same value. */
export type SecretLookup = (secret: string, key: string) => string | undefined;

/** Values of variables that some charts read from a Secret although they are not secret. */
const GUESSED_VALUES: Record<string, string> = { N8N_HOST: 'localhost', N8N_PORT: '5678', N8N_PROTOCOL: 'http' };

/** Generates values for Secrets that the manifests refer to but do not contain. */
export function inventSecrets(): SecretLookup {
  const known = new Map<string, string>();
  return (secret, key) => {
    const value = GUESSED_VALUES[key] ?? (isLikelySecret(key) ? randomSecret() : undefined);
    if (value === undefined) return undefined;
    const id = `${secret}/${key}`;
    if (!known.has(id)) known.set(id, value);
    return known.get(id);
  };
}

/**
 * The environment of a container as plain values.
 * @param place on a machine, variables that name files of the image are left out
 * @throws UsageError that names a variable without a value
 */
export function resolveEnvironment(
  { name: workload, container, volumes }: { name: string; container: Container; volumes: Volume[] },
  objects: KubernetesObject[],
  secrets: SecretLookup,
  place: DeploymentPlace = 'machine',
): AdoptedEnvironment {
  const has = (kind: string, name = '') => objects.some((o) => o.kind === kind && o.metadata.name === name);
  const from = (container.envFrom ?? []).filter((source) => isInManifests(source, has));
  const missing = (container.envFrom ?? []).filter((source) => !from.includes(source));
  const env = (container.env ?? []).filter((variable) => hasValue(variable, has));
  for (const variable of env) requireSecretValue(workload, variable, objects, secrets);
  const sources = { objects, generated: secrets, podName: workload };
  const given = Object.entries(containerEnvironment({ ...container, env, envFrom: from }, sources));
  const [files, others] = splitMountPaths(container, volumes);
  const isElsewhere = ([name, value]: [string, string]) =>
    RELOCATING_VARIABLES.test(stripFileSuffix(name)) ||
    isBelowMount(value, others) ||
    (place === 'machine' && isImageFile(name, value, files));
  const environment = Object.fromEntries(given.filter((entry) => !isElsewhere(entry)));
  if (environment.N8N_RUNNERS_MODE === 'external' || environment.N8N_RUNNERS_MODE_FILE)
    throw new UsageError(
      `${workload}: N8N_RUNNERS_MODE=external needs task runners in sidecars, which are left out; set it to internal.`,
    );
  return {
    environment,
    notes: [
      ...missing.map(
        ({ secretRef, configMapRef }) =>
          `${(secretRef ?? configMapRef)?.name} of ${workload} is not in the manifests and is left out`,
      ),
      ...given.filter(isElsewhere).map(([name]) => `${name} of ${workload} is left out: n8n keeps its default`),
    ],
  };
}

type HasObject = (kind: string, name: string | undefined) => boolean;

const isInManifests = ({ secretRef, configMapRef }: EnvFromSource, has: HasObject): boolean =>
  secretRef ? has('Secret', secretRef.name) : has('ConfigMap', configMapRef?.name);

/** Whether a variable has a value in the cluster, judged by the manifests. An optional reference to a missing object has none. */
function hasValue({ valueFrom }: EnvVar, has: HasObject): boolean {
  const { secretKeyRef, configMapKeyRef, resourceFieldRef } = valueFrom ?? {};
  if (resourceFieldRef) return false;
  if (secretKeyRef?.optional) return has('Secret', secretKeyRef.name);
  return !configMapKeyRef?.optional || has('ConfigMap', configMapKeyRef.name);
}

function requireSecretValue(
  workload: string,
  variable: EnvVar,
  objects: KubernetesObject[],
  secrets: SecretLookup,
): void {
  const { name = '', key = '', optional } = variable.valueFrom?.secretKeyRef ?? {};
  if (key === '' || optional || secrets(name, key) !== undefined) return;
  const secret = objects.find((o) => o.kind === 'Secret' && o.metadata.name === name);
  if (secret?.data?.[key] !== undefined || secret?.stringData?.[key] !== undefined) return;
  throw new UsageError(
    `${workload}: ${variable.name} comes from the Secret ${name}, which is not in the manifests; add it to them.`,
  );
}

/** Mount paths of ConfigMaps, and those of other volumes, which do not exist on this machine. */
function splitMountPaths({ volumeMounts = [] }: Container, volumes: Volume[]): [files: string[], others: string[]] {
  const isOfConfigMap = ({ name }: { name: string }) => volumes.some((v) => v.name === name && v.configMap);
  const paths = (mounts: typeof volumeMounts) => mounts.map(({ mountPath }) => normalizeMountPath(mountPath));
  return [paths(volumeMounts.filter(isOfConfigMap)), paths(volumeMounts.filter((mount) => !isOfConfigMap(mount)))];
}

const isBelowMount = (value: string, mounts: string[]): boolean => {
  const path = posix.normalize(value);
  return mounts.some((mount) => path === mount || path.startsWith(`${mount}/`));
};

/** Variables whose value is a file or a folder that n8n, Node or the system reads, writes or searches. */
const FILE_VARIABLES = new RegExp(
  `^(${[
    '\\w+_FILE|DB_SQLITE_DATABASE|N8N_LOG_FILE_LOCATION|N8N_EVENTBUS_LOGWRITER_LOG\\w+',
    'N8N_(BINARY_DATA_)?STORAGE_PATH|N8N_AGENT_INTEGRATION_RECORDING_DIR|N8N_CUSTOM_CERTIFICATE\\w*',
    'NODE_(EXTRA_CA_CERTS|V8_COVERAGE|REDIRECT_WARNINGS|COMPILE_CACHE|ICU_DATA|REPL_HISTORY)',
    'SSL_CERT_(FILE|DIR)|SSLKEYLOGFILE|PATH|HOME|PWD|TMPDIR|TMP|TEMP|XDG_\\w+',
  ].join('|')})$`,
);

/**
 * Whether a variable names a file of the image. On this machine the path would name a local file, and n8n may send its content
 * away. For example, it sends the content of N8N_LICENSE_ACTIVATION_KEY_FILE to a server that another variable names.
 */
const isImageFile = (name: string, value: string, files: string[]): boolean =>
  // A NAME_FILE variable: the file may name another file, and its content is not examined.
  (name !== stripFileSuffix(name) && FILE_VARIABLES.test(stripFileSuffix(name))) ||
  (FILE_VARIABLES.test(name) &&
    (name === 'PATH' || value.startsWith('/') || value.split(/[/\\]/).includes('..')) &&
    !isBelowMount(value, files));
