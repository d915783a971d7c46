import { quoteIdentifier } from '../../../core/sql.js';
import type pg from 'pg';
import type { LedgerEntry } from '../record.js';
import type { PostgresAddress } from '../../../model/deployment.js';
import { withPostgresClient } from '../../../observe/postgres-client.js';
import { EXECUTION_ID, REQUEST_ID, type LedgerContents, type Ledger, type Writing } from './ledger.js';

/** The ledger's table, in n8n's own database. */
const TABLE = 'n8n_tuned_ledger';
/** Milliseconds allowed for a connection, and for a query. */
export const LIMITS = { connect: 5000, query: 5000 };
const CREDENTIAL = { id: '2000000000000002', name: 'n8n-tuned ledger' };
/** Connections of the ledger's pool, which each executing process has beside n8n's own. */
const CONNECTIONS = 3;

/**
 * A ledger in a table of n8n's PostgreSQL.
 * @param schema of n8n's tables; undefined: the default
 */
export const postgresLedger = (address: PostgresAddress, schema?: string): Ledger => ({
  make: () =>
    withPostgresClient(address, LIMITS, async (client) => {
      await client.query(
        `CREATE TABLE ${TABLE} (id text NOT NULL, execution text NOT NULL, event text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp())`,
      );
    }),
  read: (workflowId) => withPostgresClient(address, LIMITS, (client) => readLedger(client, workflowId, schema)),
});

/**
 * The nodes by which a workflow writes this ledger. Without an address, as for a file to import, the credential is left out.
 */
export const postgresWriting = (address?: PostgresAddress): Writing => ({
  nodes: (event) => [
    {
      name: `Write ${event}`,
      type: 'n8n-nodes-base.postgres',
      typeVersion: 2.5,
      parameters: {
        operation: 'executeQuery',
        query: `INSERT INTO ${TABLE} (id, execution, event) VALUES ($1, $2, '${event}')`,
        options: { queryReplacement: `={{ [${REQUEST_ID}, ${EXECUTION_ID}] }}` },
      },
      credentials: { postgres: CREDENTIAL },
    },
  ],
  credentials: address ? [{ ...CREDENTIAL, type: 'postgres', data: credentialData(address) }] : [],
});

const credentialData = ({ ssl: _, ...address }: PostgresAddress) => ({
  ...address,
  maxConnections: CONNECTIONS,
  allowUnauthorizedCerts: false,
  ssl: 'disable',
  sshTunnel: false,
});

/** Both from one snapshot. */
async function readLedger(client: pg.Client, workflowId: string, schema: string | undefined): Promise<LedgerContents> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const table = schema ? `${quoteIdentifier(schema)}.execution_entity` : 'execution_entity';
  const executions = await client.query<{ id: string; status: string; ended: string | null }>(
    `SELECT id::text, status, extract(epoch FROM "stoppedAt") * 1000 AS ended FROM ${table} WHERE "workflowId" = $1 AND "deletedAt" IS NULL`,
    [workflowId],
  );
  const ledger = await client.query<Omit<LedgerEntry, 'at'> & { at: string }>(
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
}
