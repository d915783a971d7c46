import type { EnvVar } from 'kubernetes-types/core/v1.js';
import { UsageError } from '../core/errors.js';
import type { Component } from '../model/events.js';
import { EMBEDDED_SERVICES, randomSecret } from './environment.js';
import { COMPONENT_LABEL, type KubernetesObject } from './objects.js';

/** Databases for an n8n whose manifests name only their addresses. */
export interface ProvidedDatabases {
  objects: KubernetesObject[];
  /** Variables of n8n that point to these databases. */
  environment: Record<string, string>;
  notes: string[];
}

const NAME = 'n8n';

/** Where the provided databases run, for the notes. */
export type DeploymentPlace = keyof typeof PROVIDED;
const PROVIDED = {
  machine: { of: 'of this machine', limits: 'with its own defaults and without limits' },
  cluster: { of: "of n8n-tuned's chart", limits: "with that chart's defaults and limits" },
} as const;

const replacementNote = (database: string, host: string, place: DeploymentPlace): string =>
  `a ${database} ${PROVIDED[place].of} replaces ${host}, ${PROVIDED[place].limits}`;

/**
 * The databases that n8n's environment asks for: PostgreSQL and Redis, with their own defaults and without limits.
 * @param place where they run. In a cluster, this chart's databases replace the returned objects; only environment and notes count
 * @throws UsageError for a database that cannot be provided
 */
export function provideDatabases(environment: Record<string, string>, place: DeploymentPlace): ProvidedDatabases {
  const both = [providePostgres(environment, place), provideRedis(environment, place)].filter(
    (each) => each !== undefined,
  );
  return {
    objects: both.flatMap(({ objects }) => objects),
    environment: Object.assign({}, ...both.map((each) => each.environment)) as Record<string, string>,
    notes: both.flatMap(({ notes }) => notes),
  };
}

function providePostgres(environment: Record<string, string>, place: DeploymentPlace): ProvidedDatabases | undefined {
  const { DB_TYPE: type = 'sqlite' } = environment;
  if (type === 'sqlite') return undefined;
  if (type !== 'postgresdb')
    throw new UsageError(`DB_TYPE=${type}: only sqlite and postgresdb can be run; set one of them in the manifests.`);
  const user = environment.DB_POSTGRESDB_USER || NAME;
  const database = environment.DB_POSTGRESDB_DATABASE || NAME;
  const password = environment.DB_POSTGRESDB_PASSWORD || randomSecret();
  const host = environment.DB_POSTGRESDB_HOST || 'localhost';
  return {
    objects: databaseObjects('postgresql', [
      { name: 'POSTGRES_USER', value: user },
      { name: 'POSTGRES_DB', value: database },
      { name: 'POSTGRES_PASSWORD', value: password },
    ]),
    environment: {
      DB_POSTGRESDB_HOST: databaseName('postgresql'),
      DB_POSTGRESDB_USER: user,
      DB_POSTGRESDB_DATABASE: database,
      DB_POSTGRESDB_PASSWORD: password,
      // n8n uses TLS if any of these is set.
      DB_POSTGRESDB_SSL_ENABLED: 'false',
      DB_POSTGRESDB_SSL_CA: '',
      DB_POSTGRESDB_SSL_CERT: '',
      DB_POSTGRESDB_SSL_KEY: '',
      DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED: 'true',
    },
    notes: [replacementNote('PostgreSQL', host, place)],
  };
}

function provideRedis(environment: Record<string, string>, place: DeploymentPlace): ProvidedDatabases | undefined {
  if (environment.EXECUTIONS_MODE !== 'queue') return undefined;
  for (const name of ['QUEUE_BULL_REDIS_CLUSTER_NODES', 'QUEUE_BULL_REDIS_SENTINEL_NODES'])
    if (environment[name])
      throw new UsageError(`${name}: only a single Redis can be provided; set QUEUE_BULL_REDIS_HOST instead.`);
  const host = environment.QUEUE_BULL_REDIS_HOST || 'localhost';
  const password = environment.QUEUE_BULL_REDIS_PASSWORD ?? '';
  return {
    objects: databaseObjects('redis', password === '' ? [] : [{ name: 'REDIS_PASSWORD', value: password }]),
    environment: {
      QUEUE_BULL_REDIS_HOST: databaseName('redis'),
      QUEUE_BULL_REDIS_PASSWORD: password,
      // The provided Redis has only the default user.
      QUEUE_BULL_REDIS_USERNAME: '',
      QUEUE_BULL_REDIS_TLS: 'false',
      QUEUE_BULL_REDIS_DB: '0',
      QUEUE_BULL_PREFIX: 'bull',
    },
    notes: [replacementNote('Redis', host, place)],
  };
}

type Database = keyof typeof EMBEDDED_SERVICES & Component;

/** Name of the pod, and of the Service through which n8n reaches it. */
const databaseName = (component: Database): string => `provided-${component}`;

/** Names of the workloads of provided databases. */
export const DATABASE_NAMES = (Object.keys(EMBEDDED_SERVICES) as Database[]).map(databaseName);

function databaseObjects(component: Database, env: EnvVar[]): KubernetesObject[] {
  const labels = { [COMPONENT_LABEL]: component };
  return [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: databaseName(component), labels } },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: databaseName(component), labels },
      spec: { replicas: 1, template: { spec: { containers: [{ name: component, image: component, env }] } } },
    },
  ];
}
