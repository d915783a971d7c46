import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { EnvironmentFault, messageOf } from '../../core/errors.js';
import { postgresOf, type PostgresAddress } from '../../observe/postgres.js';

/** The rows are spread over so many days until now: n8n keeps executions for 14 days unless told otherwise. */
const DAYS = 14;
/** Bytes of what an execution of a small workflow leaves in `execution_data`, about. */
const DATA_BYTES = 2000;

/** Executions to put into the database before the load. */
export interface Seed {
  executions: number;
  /** Id of the workflow that they were of. */
  workflowId: string;
}

/**
 * Puts executions that have succeeded into n8n's database, beside the running n8n. n8n's metrics do not count them.
 * @param environment environment of n8n
 * @param n8n path of n8n's entry point, whose SQLite driver is used
 * @throws EnvironmentFault if the database refuses them
 */
export async function seedExecutions(environment: Record<string, string>, n8n: string, seed: Seed): Promise<void> {
  const prefix = environment.DB_TABLE_PREFIX ?? '';
  const postgres = postgresOf(environment);
  try {
    if (postgres) await seedPostgres(postgres, environment.DB_POSTGRESDB_SCHEMA, prefix, seed);
    else if (environment.DB_TYPE === 'postgresdb') throw new Error('a PostgreSQL with TLS cannot be reached');
    else await seedSqlite(environment, createRequire(n8n), prefix, seed);
  } catch (error) {
    throw new EnvironmentFault(`--seed-executions: executions could not be put into the database: ${messageOf(error)}`);
  }
}

/** What n8n keeps of a run, in the form in which it writes it (the package `flatted`): one node ran and returned a text. */
const data = JSON.stringify([
  { version: 1, startData: '1', resultData: '2', executionData: '3' },
  {},
  { runData: '4', lastNodeExecuted: '5' },
  { contextData: '6', nodeExecutionStack: '7' },
  {},
  'Webhook',
  {},
  [],
  'x'.repeat(DATA_BYTES),
]);
const workflowData = (id: string) => JSON.stringify({ id, name: 'seeded', nodes: [], connections: {}, settings: {} });

async function seedPostgres(
  address: PostgresAddress,
  schema: string | undefined,
  prefix: string,
  { executions, workflowId }: Seed,
): Promise<void> {
  const table = (name: string) => `${schema ? `"${schema}".` : ''}"${prefix}${name}"`;
  const client = new pg.Client(address);
  await client.connect();
  try {
    await client.query(
      `WITH seeded AS (
         INSERT INTO ${table('execution_entity')} (finished, mode, status, "workflowId", "createdAt", "startedAt", "stoppedAt")
         SELECT true, 'webhook', 'success', $2, at, at, at + interval '50 ms'
         FROM (SELECT now() - i * interval '${DAYS} days' / $1 AS at FROM generate_series($1::int, 1, -1) i) times
         RETURNING id
       )
       INSERT INTO ${table('execution_data')} ("executionId", "workflowData", data) SELECT id, $3::json, $4 FROM seeded`,
      [executions, workflowId, workflowData(workflowId), data],
    );
    await client.query(`ANALYZE ${table('execution_entity')}, ${table('execution_data')}`);
  } finally {
    await client.end();
  }
}

/** The part of the driver that is used. */
interface Sqlite {
  Database: new (file: string, done: (error: Error | null) => void) => SqliteDatabase;
}
interface SqliteDatabase {
  run(sql: string, values: unknown[], done: (error: Error | null) => void): void;
  configure(option: 'busyTimeout', milliseconds: number): void;
  close(done: (error: Error | null) => void): void;
}

const BUSY_MS = 30_000;

/** n8n uses SQLite in WAL mode: it waits while these rows are written, in seconds. */
async function seedSqlite(
  environment: Record<string, string>,
  load: NodeJS.Require,
  prefix: string,
  { executions, workflowId }: Seed,
): Promise<void> {
  const { Database } = load('sqlite3') as Sqlite;
  const file = join(environment.N8N_USER_FOLDER ?? '', '.n8n', environment.DB_SQLITE_DATABASE || 'database.sqlite');
  const done = <T>(work: (end: (error: Error | null) => void) => T) =>
    new Promise<T>((resolve, reject) => {
      const result: T = work((error) => (error ? reject(error) : resolve(result)));
    });
  const database = await done((end) => new Database(file, end));
  const run = (sql: string, values: unknown[] = []) => done((end) => database.run(sql, values, end));
  const [entity, executionData] = [`"${prefix}execution_entity"`, `"${prefix}execution_data"`];
  try {
    database.configure('busyTimeout', BUSY_MS);
    await run('BEGIN IMMEDIATE');
    await run(
      `WITH RECURSIVE series(i) AS (SELECT ?1 UNION ALL SELECT i - 1 FROM series WHERE i > 1),
       times(at) AS (SELECT julianday('now') - ${DAYS}.0 * i / ?1 FROM series)
       INSERT INTO ${entity} (finished, mode, status, workflowId, createdAt, startedAt, stoppedAt)
       SELECT 1, 'webhook', 'success', ?2, ${text('at')}, ${text('at')}, ${text('at')} FROM times`,
      [executions, workflowId],
    );
    await run(
      `INSERT INTO ${executionData} (executionId, workflowData, data)
       SELECT id, ?1, ?2 FROM ${entity} WHERE id NOT IN (SELECT executionId FROM ${executionData})`,
      [workflowData(workflowId), data],
    );
    await run('COMMIT');
  } finally {
    await done((end) => database.close(end));
  }
}

/** A Julian day as n8n's SQLite tables have times. */
const text = (julianDay: string) => `strftime('%Y-%m-%d %H:%M:%f', ${julianDay})`;
