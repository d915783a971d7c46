import type pg from 'pg';
import type { PostgresAddress } from '../model/deployment.js';

/** What a connection may take, in milliseconds; undefined: without a limit. */
interface Limits {
  connect?: number;
  query?: number;
}

/**
 * A client that has not connected yet. A connection that is lost between two queries raises an event, which would end this
 * process without a listener; the next query rejects. The library is loaded when it is first used: most runs have no PostgreSQL.
 */
export async function newClient(config: pg.ClientConfig): Promise<pg.Client> {
  const { default: library } = await import('pg');
  const client = new library.Client(config);
  client.on('error', () => {});
  return client;
}

/** Runs `work` on a connection of its own, so that n8n's PostgreSQL has no permanent extra client. Rejects as `work` does. */
export async function withClient<T>(
  address: PostgresAddress,
  { connect, query }: Limits,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await newClient({
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
