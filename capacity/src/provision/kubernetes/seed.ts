import { UsageError } from '../../core/errors.js';
import { componentOf, type KubernetesObject } from '../../chart/objects.js';
import { renderedPods } from '../../chart/pods.js';
import type { Plan } from '../../model/plan.js';
import type { PostgresAddress } from '../../model/deployment.js';
import { seedPostgres } from '../seed/postgres.js';
import { seeding, type Seed } from '../seed/rows.js';
import { sqliteProgram } from '../seed/sqlite.js';
import { ASK_MS } from './api-proxy.js';
import type { Cluster } from './cluster.js';
import { plainEnvironment } from './postgres.js';
import type { ReleaseView } from './release.js';

/** Longest time to write the rows. */
const WRITE_MS = 1_800_000;
/** It shares the memory limit of main's pod. */
const NODE = ['node', '--max-old-space-size=64', '-'];

/** A release whose database is to be filled. */
export interface SeededRelease {
  cluster: Cluster;
  view: ReleaseView;
  /** The chart's render. */
  objects: KubernetesObject[];
  /** Address of its embedded PostgreSQL here; undefined if it has none. */
  postgres: PostgresAddress | undefined;
  /** Ends the work. */
  signal: AbortSignal;
}

/**
 * Puts executions that have succeeded into the database of a release: into its PostgreSQL, or into main's SQLite file.
 * @throws EnvironmentFault if the database refuses them
 */
export function seedRelease({ cluster, view, objects, postgres, signal }: SeededRelease, seed: Seed): Promise<void> {
  return seeding(signal, async () => {
    const environment = plainEnvironment(objects);
    if (postgres) return seedPostgres(postgres, environment, seed, signal);
    if (environment.DB_TYPE === 'postgresdb') throw new Error('its PostgreSQL cannot be reached');
    const { metadata, spec } = (await view.pods(ASK_MS)).find((pod) => componentOf(pod) === 'main')!;
    const exec = ['exec', '-i', metadata.name, '-c', spec.containers[0]!.name, '--', ...NODE];
    const input = sqliteProgram(environment.DB_TABLE_PREFIX ?? '', seed);
    await cluster.kubectl(['--namespace', view.namespace, ...exec], { input, timeoutMs: WRITE_MS, signal });
  });
}

/** Throws UsageError if the plan asks for executions in a PostgreSQL that is not part of the release. */
export function refuseSeedingOutside({ seedExecutions }: Plan, objects: KubernetesObject[]): void {
  if (seedExecutions === undefined || plainEnvironment(objects).DB_TYPE !== 'postgresdb') return;
  if (!renderedPods(objects).some(({ component }) => component === 'postgresql'))
    throw new UsageError('--seed-executions: only the PostgreSQL that the chart installs is filled: omit it.');
}
