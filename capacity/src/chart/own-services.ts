import { UsageError } from '../core/errors.js';
import { EMBEDDED_SERVICES } from './environment.js';
import type { KubernetesObject } from './objects.js';

/** Variables with the hosts of n8n's database and queue. */
const HOST_VARIABLES: string[] = [
  ...Object.values(EMBEDDED_SERVICES).map(([host]) => host),
  'QUEUE_BULL_REDIS_CLUSTER_NODES',
];

/**
 * Refuses a database or a queue outside of the release. The n8n under test would share it with the n8n in production, and each
 * would run executions of the other.
 * @throws UsageError that names the variable and its value
 */
export function requireOwnServices(objects: KubernetesObject[]): void {
  const own = new Set(objects.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name));
  const containers = objects.flatMap((o) => o.spec?.template?.spec.containers ?? []);
  for (const { name, value = '' } of containers.flatMap(({ env = [] }) => env)) {
    if (!HOST_VARIABLES.includes(name.replace(/_FILE$/, ''))) continue;
    const host = value.split('.')[0]!;
    if (!name.endsWith('_FILE') && (value === '' || own.has(host))) continue;
    throw new UsageError(
      `the values set ${name} to ${value || 'a Secret'}, which is outside the release: a measurement would share it with your n8n in ` +
        'production; use the embedded database and queue (database.type=postgresql without externalPostgresql, and no externalRedis).',
    );
  }
}
