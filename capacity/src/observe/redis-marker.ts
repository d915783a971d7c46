import type { QueueConnection } from 'n8n-nodes-tuned/dist/nodes/BullQueue/queue/connection.js';
import { openQueue } from './queue-connection.js';
import { toQueueAddress, readRedisAddress } from './redis.js';

/** A key of this tool in n8n's Redis. If it is gone, Redis has lost its data. */
export interface Marker {
  /** Sets the key. Resolves to whether that worked. */
  set: () => Promise<boolean>;
  /** Whether Redis answers and has no such key. */
  isGone: () => Promise<boolean>;
}

/** Name of the key. */
export const MARKER_KEY = 'n8n-tuned:marker';

/** The marker in the Redis of this environment of n8n. */
export function createMarker(environment: Record<string, string>): Marker {
  const address = toQueueAddress(readRedisAddress(environment));
  /** Resolves to false if Redis does not answer. */
  const ask = async (question: (connection: QueueConnection) => Promise<boolean>): Promise<boolean> => {
    try {
      const connection = await openQueue(address);
      return await question(connection).finally(() => connection.close());
    } catch {
      return false;
    }
  };
  return {
    set: () => ask((connection) => connection.ask(async ({ client }) => (await client.set(MARKER_KEY, '1')) === 'OK')),
    isGone: () => ask((connection) => connection.ask(async ({ client }) => (await client.exists(MARKER_KEY)) === 0)),
  };
}
