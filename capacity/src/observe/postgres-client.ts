import pg from 'pg';
import type { PostgresAddress } from '../model/deployment.js';

/** What a connection may take, in milliseconds; undefined: without a limit. */
interface Limits {
  connect?: number;
  query?: number;
}

/** Runs `work` on a connection of its own, so that n8n's PostgreSQL has no permanent extra client. Rejects as `work` does. */
export async function withClient<T>(
  address: PostgresAddress,
  { connect, query }: Limits,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    ...address,
    ...(connect !== undefined && { connectionTimeoutMillis: connect }),
    ...(query !== undefined && { query_timeout: query, statement_timeout: query }),
  });
  // A connection that is lost between two queries raises an event, which would end this process; the next query rejects.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
