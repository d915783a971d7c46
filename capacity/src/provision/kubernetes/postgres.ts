import { LOOPBACK } from '../../core/loopback.js';
import type { PostgresAddress } from '../../model/deployment.js';
import { readPostgresAddress } from '../../observe/postgres.js';
import type { SecretKeySelector } from 'kubernetes-types/core/v1.js';
import type { KubernetesObject } from '../../chart/objects.js';
import { renderedPods } from '../../chart/pods.js';
import type { Cluster } from './cluster.js';
import type { Forwarding } from './forwarding.js';

const PORT = 5432;

/** Where a release's embedded PostgreSQL runs, and how to reach it. */
export interface PostgresPlace {
  forwarding: Forwarding;
  /** Name of its pod. */
  pod: string;
}

const mainIn = (objects: KubernetesObject[]) =>
  renderedPods(objects).find(({ component }) => component === 'main')!.container;

/** The variables of main that a release's render has in plain text. */
export function plainEnvironment(objects: KubernetesObject[]): Record<string, string> {
  const { env = [] } = mainIn(objects);
  return Object.fromEntries(env.map(({ name, value = '' }) => [name, value]));
}

/** Variables with the addresses and logins of the databases. */
const OF_DATABASES = /^(DB_|QUEUE_BULL_REDIS_)/;

/**
 * The variables of main in a running release that have a plain text, and those of its databases, also from Secrets.
 * @throws EnvironmentFault if a Secret cannot be read
 */
export async function readEnvironment(
  cluster: Cluster,
  namespace: string,
  objects: KubernetesObject[],
): Promise<Record<string, string>> {
  const secret = (mainIn(objects).env ?? []).flatMap(({ name, valueFrom }) =>
    OF_DATABASES.test(name) && valueFrom?.secretKeyRef && !valueFrom.secretKeyRef.optional
      ? [{ name, reference: valueFrom.secretKeyRef }]
      : [],
  );
  const values = await Promise.all(secret.map(({ reference }) => secretValue(cluster, namespace, reference)));
  return { ...plainEnvironment(objects), ...Object.fromEntries(secret.map(({ name }, i) => [name, values[i]!])) };
}

/**
 * The embedded PostgreSQL of a release, at a port of this machine that the API server forwards.
 * @param environment of main
 * @returns undefined if n8n uses another database
 * @throws EnvironmentFault if it cannot be reached
 */
export async function embeddedPostgres(
  { forwarding, pod }: PostgresPlace,
  environment: Record<string, string>,
): Promise<PostgresAddress | undefined> {
  const address = readPostgresAddress(environment);
  return address && { ...address, host: LOOPBACK, port: await forwarding.portTo(pod, PORT) };
}

/** A value of a Secret, in plain text. */
async function secretValue(
  cluster: Cluster,
  namespace: string,
  { name = '', key }: SecretKeySelector,
): Promise<string> {
  const secret = await cluster.json<{ data: Record<string, string> }>([
    '--namespace',
    namespace,
    'get',
    'secret',
    name,
  ]);
  return Buffer.from(secret.data[key]!, 'base64').toString();
}
