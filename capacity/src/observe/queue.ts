import type { QueueSource, RedisAddress } from '../model/deployment.js';
import type { QueueLook } from '../model/sample.js';
import type { QueueConnection } from 'n8n-nodes-tuned/dist/nodes/BullQueue/queue/connection.js';
import { readCounts } from 'n8n-nodes-tuned/dist/nodes/BullQueue/queue/counts.js';
import { openQueue } from './queue-connection.js';
import { toQueueAddress } from './redis.js';

/** Milliseconds to connect, and again to read: a look must not delay the next sample. */
const ANSWER_MS = 500;

/** Watches n8n's queue over one connection, with the code of the Bull Queue node. Only reads from Redis. */
export class QueueWatch implements QueueSource {
  private connection: QueueConnection | undefined;

  constructor(private readonly redis: RedisAddress) {}

  /** If Redis does not answer, the next look reconnects. */
  async look(): Promise<QueueLook | undefined> {
    try {
      this.connection ??= await this.connect();
      const { waiting, active, added } = await readCounts(this.connection);
      const commands = await this.connection.ask(async ({ client }) => parseCommandCount(await client.info('stats')));
      return { waiting, active, added, ...(commands !== undefined && { commands }) };
    } catch {
      await this.close();
      return undefined;
    }
  }

  async close(): Promise<void> {
    const { connection } = this;
    this.connection = undefined;
    await connection?.close();
  }

  private connect(): Promise<QueueConnection> {
    return openQueue(toQueueAddress(this.redis), ANSWER_MS);
  }
}

/** The number of commands that Redis has processed, from the section `stats` of its INFO. */
const parseCommandCount = (info: string): number | undefined => {
  const found = /^total_commands_processed:(\d+)/m.exec(info)?.[1];
  return found === undefined ? undefined : Number(found);
};
