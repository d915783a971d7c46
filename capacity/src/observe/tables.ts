import { EXECUTION_TABLES, type RowCounts } from '../model/sample.js';
import type { PostgresAddress, RowCounter } from '../model/deployment.js';
import pg from 'pg';
import { postgresOf } from './postgres.js';
import { sqliteRows } from './sqlite.js';

const TIMEOUT_MS = 30_000;

/**
 * Counts the rows of n8n's execution tables. Each count uses its own connection and closes it, so that n8n's database has no
 * permanent extra client. Only reads. Uses the SQLite driver of the given n8n.
 * @param environment environment of n8n
 * @param n8n path of n8n's entry point
 * @returns undefined for a database with TLS or a table prefix, which is not supported
 */
export function rowCounter(environment: Record<string, string>, n8n: string): RowCounter | undefined {
  if (environment.DB_TABLE_PREFIX || environment.DB_POSTGRESDB_SSL_ENABLED === 'true') return undefined;
  const postgres = postgresOf(environment);
  return postgres ? postgresCounter(postgres, environment.DB_POSTGRESDB_SCHEMA) : sqliteCounter(environment, n8n);
}

const countOf = (table: string) => `SELECT count(*) AS n FROM ${table}`;

function postgresCounter(address: PostgresAddress, schema: string | undefined): RowCounter {
  return async () => {
    const client = new pg.Client({ ...address, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
    // A connection that is lost between two queries raises an event, which would end this process; the next query rejects.
    client.on('error', () => {});
    await client.connect();
    try {
      return await counted(async (table) => {
        const { rows } = await client.query<{ n: string }>(countOf(schema ? `"${schema}"."${table}"` : `"${table}"`));
        return Number(rows[0]!.n);
      });
    } finally {
      await client.end();
    }
  };
}

const sqliteCounter =
  (environment: Record<string, string>, n8n: string): RowCounter =>
  () =>
    counted(async (table) => {
      const [row] = await sqliteRows<{ n: number }>(environment, n8n, countOf(table));
      return row!.n;
    });

async function counted(count: (table: string) => Promise<number>): Promise<RowCounts> {
  const counts = {} as RowCounts;
  for (const table of EXECUTION_TABLES) counts[table] = await count(table);
  return counts;
}
