import { postgresOf, type PostgresAddress } from '../../observe/postgres.js';
import type { SecretKeySelector } from 'kubernetes-types/core/v1.js';
import type { KubernetesObject } from '../../chart/objects.js';
import { describedPods } from '../../chart/pods.js';
import type { Cluster } from './cluster.js';
import type { Forwarding } from './forwarding.js';

const PORT = 5432;

/** Where a release's embedded PostgreSQL runs, and how to reach it. */
export interface PostgresPlace {
  cluster: Cluster;
  namespace: string;
  forwarding: Forwarding;
  /** Name of its pod. */
  pod: string;
}

const mainIn = (objects: KubernetesObject[]) =>
  describedPods(objects).find(({ component }) => component === 'main')!.container;

/** The variables of main that a release's render has in plain text. */
export function plainEnvironment(objects: KubernetesObject[]): Record<string, string> {
  const { env = [] } = mainIn(objects);
  return Object.fromEntries(env.map(({ name, value = '' }) => [name, value]));
}

/**
 * The embedded PostgreSQL of a release, at a port of this machine that the API server forwards, with the password from its
 * Secret.
 * @param objects the chart's render, which contains n8n's database user
 * @returns undefined if n8n uses another database
 * @throws EnvironmentFault if it cannot be reached
 */
export async function embeddedPostgres(
  { cluster, namespace, forwarding, pod }: PostgresPlace,
  objects: KubernetesObject[],
): Promise<PostgresAddress | undefined> {
  const address = postgresOf(plainEnvironment(objects));
  const reference = mainIn(objects).env?.find(({ name }) => name === 'DB_POSTGRESDB_PASSWORD')?.valueFrom?.secretKeyRef;
  if (!address || !reference) return undefined;
  const password = await secretValue(cluster, namespace, reference);
  return { ...address, host: '127.0.0.1', port: await forwarding.portTo(pod, PORT), password };
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
