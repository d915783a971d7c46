import { quoteIdentifier } from '../core/sql.js';
import type pg from 'pg';
import { EnvironmentFault, messageOf, UsageError } from '../core/errors.js';
import type { PostgresAddress } from '../model/deployment.js';
import { createPostgresClient } from './postgres-client.js';

/** Milliseconds for a connection or a query: long enough for a table of millions of rows. */
const TIMEOUT_MS = 120_000;

/** Modes of executions that are not arrivals, because other executions or people start them. */
export const NOT_ARRIVALS = ['manual', 'integrated', 'internal', 'error', 'retry', 'evaluation', 'cli'];

/** Start times of executions in n8n's PostgreSQL. Only reads, and reads neither data nor names. */
interface StartedInPostgres {
  /** Name of the column that holds the times. */
  column: string;
  /** Number of executions by minute since the epoch; a minute without executions has no entry. */
  minutes: Map<number, number>;
  /** Reads the executions that arrived from `from` until before `to`, in milliseconds since the epoch. */
  between: (from: number, to: number) => Promise<{ workflowId: string; at: number }[]>;
}

/**
 * Reads when executions arrived since a time, over one connection that is closed after `use`.
 * @param since milliseconds since the epoch
 * @throws EnvironmentFault when PostgreSQL does not answer, UsageError when it does not hold exactly one n8n
 */
export async function withStartedExecutions<T>(
  address: PostgresAddress,
  since: number,
  use: (started: StartedInPostgres) => Promise<T>,
): Promise<T> {
  const client = await createPostgresClient({
    ...address,
    application_name: 'n8n-capacity',
    connectionTimeoutMillis: TIMEOUT_MS,
    statement_timeout: TIMEOUT_MS,
  });
  const where = `PostgreSQL at ${address.host}:${address.port}`;
  try {
    await client.connect();
    const { table, column } = await findExecutionTable(client, where);
    const of = `FROM ${table} WHERE ${column} IS NOT NULL AND NOT (mode::text = ANY($1))`;
    const epoch = `extract(epoch FROM ${column})`;
    const counted = await client.query<{ minute: string; n: string }>(
      `SELECT floor(${epoch} / 60) AS minute, count(*) AS n ${of} AND ${epoch} >= $2 GROUP BY 1`,
      [NOT_ARRIVALS, since / 1000],
    );
    return await use({
      column: column.replaceAll('"', ''),
      minutes: new Map(counted.rows.map(({ minute, n }) => [Number(minute), Number(n)])),
      between: async (from, to) => {
        const { rows } = await client.query<{ workflow: string; at: string }>(
          `SELECT "workflowId" AS workflow, ${epoch} AS at ${of} AND ${epoch} >= $2 AND ${epoch} < $3`,
          [NOT_ARRIVALS, from / 1000, to / 1000],
        );
        return rows.map(({ workflow, at }) => ({ workflowId: workflow, at: Number(at) * 1000 }));
      },
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new EnvironmentFault(`${where}: ${messageOf(error)}`);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Finds n8n's table of executions, whatever its prefix and schema, and the column closest to the arrival. `createdAt` is closer
 * than `startedAt`, because n8n inserts a row before the execution waits.
 */
async function findExecutionTable(client: pg.Client, where: string): Promise<{ table: string; column: string }> {
  const { rows } = await client.query<{ schema: string; name: string; created: boolean }>(
    `SELECT table_schema AS schema, table_name AS name, bool_or(column_name = 'createdAt') AS created
     FROM information_schema.columns WHERE table_name ~ 'execution_entity$' GROUP BY 1, 2`,
  );
  const [found, second] = rows;
  if (!found) throw new UsageError(`${where}: has no table execution_entity; check that the database is that of n8n.`);
  if (second)
    throw new UsageError(
      `${where}: has ${rows.length} tables of executions (${rows.map((r) => `${r.schema}.${r.name}`).join(', ')}); use a user that sees one.`,
    );
  const quoted = [found.schema, found.name].map(quoteIdentifier).join('.');
  return { table: quoted, column: found.created ? '"createdAt"' : '"startedAt"' };
}
