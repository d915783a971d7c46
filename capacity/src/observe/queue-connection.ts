import type { QueueConnection } from 'n8n-nodes-tuned/dist/nodes/BullQueue/queue/connection.js';
import type { QueueAddress } from './redis.js';

/** Opens a connection of the Bull Queue node. Its libraries are loaded when they are first used: most runs have no queue. */
export async function openQueue(address: QueueAddress, answerMs?: number): Promise<QueueConnection> {
  const { QueueConnection: Connection } = await import('n8n-nodes-tuned/dist/nodes/BullQueue/queue/connection.js');
  return Connection.open(address, answerMs);
}
