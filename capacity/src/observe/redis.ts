import type { QueueConnection } from 'n8n-nodes-tuned/dist/nodes/BullQueue/queue/connection.js';
import type { RedisAddress } from '../model/deployment.js';

/** The address of a queue in the format of the Bull Queue node. */
export type QueueAddress = QueueConnection['address'];

/** The address of n8n's Redis, from n8n's environment. */
export function readRedisAddress(environment: Record<string, string>): RedisAddress {
  const { QUEUE_BULL_REDIS_USERNAME: user, QUEUE_BULL_REDIS_PASSWORD: password } = environment;
  const { QUEUE_BULL_REDIS_DB: database, QUEUE_BULL_PREFIX: prefix } = environment;
  return {
    host: environment.QUEUE_BULL_REDIS_HOST ?? 'localhost',
    port: Number(environment.QUEUE_BULL_REDIS_PORT ?? 6379),
    ...(user && { user }),
    ...(password && { password }),
    ...(database && { database: Number(database) }),
    ...(prefix && { prefix }),
  };
}

/** The address of n8n's queue, in the format of the Bull Queue node. */
export const toQueueAddress = ({
  host,
  port,
  database = 0,
  prefix = 'bull',
  ...access
}: RedisAddress): QueueAddress => ({
  redis: { host, port, database },
  ...access,
  prefix,
  queue: 'jobs',
});
