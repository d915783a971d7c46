import type pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../core/errors.js';
import { createPostgresClient } from '../../observe/postgres-client.js';
import type { Fault } from './fault.js';

/** PostgreSQL's error for a connection beyond max_connections. */
const TOO_MANY = '53300';
const SECONDS = 45;
/** Connections that are taken at most; no server here allows more. */
const MAX_CONNECTIONS = 2000;
const PAUSE_MS = 200;

/** Takes every free connection of PostgreSQL for a time, including those that n8n releases. */
export const postgresConnections: Fault = {
  title: `PostgreSQL's connections exhausted for ${SECONDS} s`,
  needs: { postgresql: 1 },
  seconds: () => SECONDS,
  inject: async ({ injector: { postgres }, signal }) => {
    const taken: pg.Client[] = [];
    let refused = 0;
    const until = Date.now() + SECONDS * 1000;
    try {
      while (Date.now() < until) {
        const client = await tryConnect({ ...postgres!, application_name: 'n8n-capacity faults' });
        if (client === 'late') {
          await sleep(PAUSE_MS, undefined, { signal });
          continue;
        }
        if (client && taken.length < MAX_CONNECTIONS) {
          taken.push(client);
          continue;
        }
        await client?.end();
        refused += client ? 0 : 1;
        await sleep(PAUSE_MS, undefined, { signal });
      }
    } finally {
      await Promise.all(taken.map((client) => client.end().catch(() => {})));
    }
    return refused > 0
      ? `${taken.length} connections taken; PostgreSQL refused the next one ${refused} times`
      : undefined;
  },
};

/** Message of pg's error if PostgreSQL does not answer in time, as it may without free connections. The error has no code. */
const TIMEOUT_MESSAGE = /timeout/i;

/** A connection; undefined if PostgreSQL has none left, 'late' if it did not answer in time. Rejects for any other error. */
async function tryConnect(config: pg.ClientConfig): Promise<pg.Client | 'late' | undefined> {
  const client = await createPostgresClient({ ...config, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    return client;
  } catch (error) {
    if ((error as { code?: string }).code === TOO_MANY) return undefined;
    await client.end().catch(() => {});
    if (TIMEOUT_MESSAGE.test(messageOf(error))) return 'late';
    throw error;
  }
}
