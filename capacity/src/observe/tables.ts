import { EXECUTION_TABLES, type RowCounts } from '../model/sample.js';
import type { RowCounter } from '../model/deployment.js';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { messageOf } from '../core/errors.js';
import { postgresOf, type PostgresAddress } from './postgres.js';

/** The part of `sqlite3` that is used. */
interface Sqlite {
  OPEN_READONLY: number;
  Database: new (file: string, mode: number, done: (error: Error | null) => void) => SqliteDatabase;
}
interface SqliteDatabase {
  get(sql: string, done: (error: Error | null, row?: { n: number }) => void): void;
  close(done: (error: Error | null) => void): void;
}

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
  return postgres
    ? postgresCounter(postgres, environment.DB_POSTGRESDB_SCHEMA)
    : sqliteCounter(environment, createRequire(n8n));
}

const countOf = (table: string) => `SELECT count(*) AS n FROM ${table}`;

function postgresCounter(address: PostgresAddress, schema: string | undefined): RowCounter {
  return async () => {
    const client = new pg.Client({ ...address, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
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

/** n8n uses SQLite in WAL mode, in which readers and the writer do not block each other. */
function sqliteCounter(environment: Record<string, string>, load: NodeJS.Require): RowCounter {
  const { Database, OPEN_READONLY } = load('sqlite3') as Sqlite;
  const file = join(environment.N8N_USER_FOLDER ?? '', '.n8n', environment.DB_SQLITE_DATABASE || 'database.sqlite');
  return async () => {
    const database = await new Promise<SqliteDatabase>((resolve, reject) => {
      const opened: SqliteDatabase = new Database(file, OPEN_READONLY, (error) =>
        error ? reject(new Error(messageOf(error))) : resolve(opened),
      );
    });
    try {
      return await counted(
        (table) =>
          new Promise((resolve, reject) =>
            database.get(countOf(table), (error, row) => (error ? reject(error) : resolve(row!.n))),
          ),
      );
    } finally {
      await new Promise<void>((resolve) => database.close(() => resolve()));
    }
  };
}

async function counted(count: (table: string) => Promise<number>): Promise<RowCounts> {
  const counts = {} as RowCounts;
  for (const table of EXECUTION_TABLES) counts[table] = await count(table);
  return counts;
}
