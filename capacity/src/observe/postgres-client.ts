import type pg from 'pg';
import type { PostgresAddress } from '../model/deployment.js';

/** Time limits of a connection and of a query, in milliseconds; undefined means no limit. */
interface Limits {
  connect?: number;
  query?: number;
}

/**
 * Creates a client that has not connected yet. It listens for errors, because a connection lost between two queries would
 * otherwise end this process; the next query then rejects. The library is loaded on first use: most runs have no PostgreSQL.
 */
export async function createPostgresClient(config: pg.ClientConfig): Promise<pg.Client> {
  const { default: library } = await import('pg');
  const client = new library.Client(config);
  client.on('error', () => {});
  return client;
}

/**
 * Runs `work` on its own connection, which is closed afterwards, so that n8n's PostgreSQL has no permanent extra client.
 * Rejects when it cannot connect, or as `work` does.
 */
export async function withPostgresClient<T>(
  address: PostgresAddress,
  { connect, query }: Limits,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await createPostgresClient({
    ...address,
    ...(connect !== undefined && { connectionTimeoutMillis: connect }),
    ...(query !== undefined && { query_timeout: query, statement_timeout: query }),
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
