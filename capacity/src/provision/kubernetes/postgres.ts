import { messageOf } from '../../core/errors.js';
import { postgresOf, PostgresWatch } from '../../observe/postgres.js';
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

/**
 * Watches the embedded PostgreSQL of a release through a port that the API server forwards, with the password from its Secret.
 * @param objects the chart's render, which contains n8n's database user
 * @returns undefined if n8n uses another database, or this one cannot be reached
 */
export async function watchEmbeddedPostgres(
  { cluster, namespace, forwarding, pod }: PostgresPlace,
  objects: KubernetesObject[],
  onProblem: (why: string) => void,
): Promise<PostgresWatch | undefined> {
  const { env = [] } = describedPods(objects).find(({ component }) => component === 'main')!.container;
  const reference = env.find(({ name }) => name === 'DB_POSTGRESDB_PASSWORD')?.valueFrom?.secretKeyRef;
  const address = postgresOf(Object.fromEntries(env.map(({ name, value = '' }) => [name, value])));
  if (!address || !reference) return undefined;
  try {
    const password = await secretValue(cluster, namespace, reference);
    const reached = { ...address, host: '127.0.0.1', port: await forwarding.portTo(pod, PORT), password };
    return new PostgresWatch(reached, onProblem);
  } catch (error) {
    return void onProblem(messageOf(error));
  }
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
