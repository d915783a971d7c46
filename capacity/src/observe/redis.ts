import type { QueueConnection } from 'n8n-nodes-tuned/dist/nodes/BullQueue/queue/connection.js';
import type { RedisAddress } from '../model/deployment.js';

/** As the Bull Queue node takes it. */
export type QueueAddress = QueueConnection['address'];

/** Where n8n's queue is, as its environment says. */
export function redisOf(environment: Record<string, string>): RedisAddress {
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

/** The address of n8n's queue, as the Bull Queue node has it. */
export const queueAddress = ({ host, port, database = 0, prefix = 'bull', ...access }: RedisAddress): QueueAddress => ({
  redis: { host, port, database },
  ...access,
  prefix,
  queue: 'jobs',
});
