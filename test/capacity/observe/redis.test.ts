import { toQueueAddress, readRedisAddress } from '../../../capacity/src/observe/redis.js';

test("readRedisAddress reads the address of the queue from n8n's environment", () => {
  expect(toQueueAddress(readRedisAddress({}))).toEqual({
    redis: { host: 'localhost', port: 6379, database: 0 },
    prefix: 'bull',
    queue: 'jobs',
  });
  const environment = {
    QUEUE_BULL_REDIS_HOST: 'r',
    QUEUE_BULL_REDIS_PORT: '7000',
    QUEUE_BULL_REDIS_USERNAME: 'n8n',
    QUEUE_BULL_REDIS_PASSWORD: 'p',
    QUEUE_BULL_REDIS_DB: '3',
    QUEUE_BULL_PREFIX: 'mine',
  };
  expect(toQueueAddress(readRedisAddress(environment))).toEqual({
    redis: { host: 'r', port: 7000, database: 3 },
    user: 'n8n',
    password: 'p',
    prefix: 'mine',
    queue: 'jobs',
  });
});
