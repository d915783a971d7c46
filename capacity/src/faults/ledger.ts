import pg from 'pg';
import type { LedgerEntry, ListedExecution } from '../model/faults.js';
import type { PostgresAddress } from '../observe/postgres.js';

/** The ledger's table, in n8n's own database. */
export const TABLE = 'n8n_tuned_ledger';
const TIMEOUT_MS = 5000;

/** What the ledger and n8n say of the executions so far. */
export interface Books {
  ledger: LedgerEntry[];
  executions: ListedExecution[];
}

/** Makes the ledger. Rejects when PostgreSQL refuses. */
export const makeLedger = (address: PostgresAddress): Promise<void> =>
  withClient(address, async (client) => {
    await client.query(
      `CREATE TABLE ${TABLE} (id text NOT NULL, execution text NOT NULL, event text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp())`,
    );
  });

/**
 * Reads the ledger and n8n's executions of a workflow in one snapshot. Rejects when PostgreSQL does not answer within 5 s.
 * @param schema of n8n's tables; undefined: the default
 */
export const readBooks = (address: PostgresAddress, workflowId: string, schema?: string): Promise<Books> =>
  withClient(address, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const table = schema ? `"${schema}".execution_entity` : 'execution_entity';
    const executions = await client.query<{ id: string; status: string; ended: string | null }>(
      `SELECT id::text, status, extract(epoch FROM "stoppedAt") * 1000 AS ended FROM ${table} WHERE "workflowId" = $1`,
      [workflowId],
    );
    const ledger = await client.query<{ id: string; execution: string; event: LedgerEntry['event']; at: string }>(
      `SELECT id, execution, event, extract(epoch FROM at) * 1000 AS at FROM ${TABLE} ORDER BY at`,
    );
    return {
      ledger: ledger.rows.map(({ at, ...entry }) => ({ ...entry, at: Number(at) })),
      executions: executions.rows.map(({ id, status, ended }) => ({
        execution: id,
        status,
        ...(ended !== null && { endedAt: Number(ended) }),
      })),
    };
  });

/** Runs `work` on a connection of its own, so that n8n's PostgreSQL has no permanent extra client. */
export async function withClient<T>(address: PostgresAddress, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    ...address,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    statement_timeout: TIMEOUT_MS,
  });
  // A connection that is lost between two queries raises an event; the next query rejects.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
