import type { QueueConnection } from 'n8n-nodes-tuned/dist/nodes/BullQueue/queue/connection.js';
import type { QueueAddress } from './redis.js';

/**
 * Opens a connection of the Bull Queue node. Its libraries are loaded on first use: most runs have no queue.
 * @param answerMs time limit of an answer, in milliseconds
 */
export async function openQueue(address: QueueAddress, answerMs?: number): Promise<QueueConnection> {
  const { QueueConnection: Connection } = await import('n8n-nodes-tuned/dist/nodes/BullQueue/queue/connection.js');
  return Connection.open(address, answerMs);
}
