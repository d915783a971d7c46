import type { PostgresAddress } from '../../model/deployment.js';
import { quoteIdentifier } from '../../core/sql.js';
import { withPostgresClient } from '../../observe/postgres-client.js';
import { DATA, DAYS, workflowData, type Seed } from './rows.js';

const CONNECT_MS = 30_000;

/**
 * Puts executions that have succeeded into n8n's PostgreSQL.
 * @param environment n8n's, with the schema and the prefix of its tables
 * @param signal ends the connection, and with it the work
 */
export async function seedPostgres(
  address: PostgresAddress,
  environment: Record<string, string>,
  { executions, workflowId }: Seed,
  signal: AbortSignal,
): Promise<void> {
  const { DB_POSTGRESDB_SCHEMA: schema, DB_TABLE_PREFIX: prefix = '' } = environment;
  const table = (name: string) => [...(schema ? [schema] : []), `${prefix}${name}`].map(quoteIdentifier).join('.');
  await withPostgresClient(address, { connect: CONNECT_MS }, async (client) => {
    signal.throwIfAborted();
    const end = () => void client.end().catch(() => {});
    signal.addEventListener('abort', end, { once: true });
    try {
      await client.query(
        `WITH seeded AS (
           INSERT INTO ${table('execution_entity')} (finished, mode, status, "workflowId", "createdAt", "startedAt", "stoppedAt")
           SELECT true, 'webhook', 'success', $2, at, at, at + interval '50 ms'
           FROM (SELECT now() - i * interval '${DAYS} days' / $1 AS at FROM generate_series($1::int, 1, -1) i) times
           RETURNING id
         )
         INSERT INTO ${table('execution_data')} ("executionId", "workflowData", data) SELECT id, $3::json, $4 FROM seeded`,
        [executions, workflowId, workflowData(workflowId), DATA],
      );
      await client.query(`ANALYZE ${table('execution_entity')}, ${table('execution_data')}`);
    } finally {
      signal.removeEventListener('abort', end);
    }
  });
}
