import { EXECUTION_TABLES, type RowCounts } from '../model/sample.js';
import type { PostgresAddress, RowCounter } from '../model/deployment.js';
import { quoteIdentifier } from '../core/sql.js';
import { withPostgresClient } from './postgres-client.js';
import { readPostgresAddress } from './postgres.js';
import { querySqlite } from './sqlite.js';

/** Milliseconds to connect and to count one table. */
const LIMITS = { connect: 30_000, query: 30_000 };

/**
 * Returns a function that counts the rows of n8n's execution tables. Each call opens a connection and closes it, so that n8n's
 * database has no permanent extra client. Only reads. Uses the SQLite driver of the given n8n.
 * @param environment environment of n8n
 * @param n8n path of n8n's entry point
 * @returns undefined for a database with TLS or a table prefix, which is not supported
 */
export function createRowCounter(environment: Record<string, string>, n8n: string): RowCounter | undefined {
  if (environment.DB_TABLE_PREFIX || environment.DB_POSTGRESDB_SSL_ENABLED === 'true') return undefined;
  const postgres = readPostgresAddress(environment);
  return postgres
    ? createPostgresCounter(postgres, environment.DB_POSTGRESDB_SCHEMA)
    : createSqliteCounter(environment, n8n);
}

const countQuery = (table: string) => `SELECT count(*) AS n FROM ${table}`;

function createPostgresCounter(address: PostgresAddress, schema: string | undefined): RowCounter {
  const table = (name: string) => [...(schema ? [schema] : []), name].map(quoteIdentifier).join('.');
  return () =>
    withPostgresClient(address, LIMITS, (client) =>
      countAllTables(async (name) => {
        const { rows } = await client.query<{ n: string }>(countQuery(table(name)));
        return Number(rows[0]!.n);
      }),
    );
}

const createSqliteCounter =
  (environment: Record<string, string>, n8n: string): RowCounter =>
  () =>
    countAllTables(async (table) => {
      const [row] = await querySqlite<{ n: number }>(environment, n8n, countQuery(table));
      return row!.n;
    });

async function countAllTables(count: (table: string) => Promise<number>): Promise<RowCounts> {
  const counts = {} as RowCounts;
  for (const table of EXECUTION_TABLES) counts[table] = await count(table);
  return counts;
}
