import Bull from 'bull';
import { Redis } from 'ioredis';
import type { IDataObject } from 'n8n-workflow';
import { startRedis, type Server } from '../../nodes/queue/servers.js';
import { addJob, cleanUpAtEnd, sleep } from './support.js';

/** One Redis for all tests of a `describe`. It is emptied before each test. */
export class OneServer {
  server!: Server;
  redis!: Redis;

  /** Registers the hooks that start, empty and stop the Redis. To be called in the `describe`. */
  constructor() {
    beforeAll(async () => {
      // Hashes kept as lists are dumped in the order of their fields, even if Redis reorganizes them in between.
      this.server = await startRedis(['--hash-max-listpack-value', '4096']);
      this.redis = new Redis(this.server.port);
    });
    beforeEach(() => this.redis.flushall());
    afterAll(async () => {
      this.redis.disconnect();
      await this.server.stop();
    });
  }

  /** The fields of a credential for this Redis. */
  get fields(): IDataObject {
    return { port: this.server.port };
  }

  newQueue(name = 'jobs', prefix = 'bull'): Bull.Queue {
    return cleanUpAtEnd(new Bull(name, { prefix, redis: { port: this.server.port } }), (queue) => queue.close(true));
  }

  /** Adds keys that do not belong to any queue. */
  async addOtherKeys(count: number): Promise<void> {
    const pipeline = this.redis.pipeline();
    for (let i = 0; i < count; i += 100) {
      pipeline.mset(Object.fromEntries(Array.from({ length: 100 }, (_, k) => [`filler:${i + k}`, 1])));
    }
    await pipeline.exec();
  }

  /** Number of connections that the server has. */
  async clients(): Promise<number> {
    return String(await this.redis.client('LIST'))
      .trim()
      .split('\n').length;
  }

  /** Every key with its value, except the locks, which expire. */
  async dump(): Promise<unknown> {
    const keys = (await this.redis.keys('*')).filter((key) => !key.endsWith(':lock')).sort();
    return Promise.all(
      keys.map(async (key) => [
        key,
        (await this.redis.dumpBuffer(key))?.toString('hex'),
        (await this.redis.ttl(key)) > 0,
      ]),
    );
  }

  /**
   * Jobs in every state: 3 waiting (6 to 8), 1 active (4), 1 delayed (5), 2 completed of which one is kept (2), 1 failed
   * and kept (3).
   */
  async fill(): Promise<{ queue: Bull.Queue; letGo: () => void }> {
    const queue = this.newQueue();
    let letGo: () => void = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    // Registered after the queue, so called before it is closed.
    cleanUpAtEnd(letGo, () => letGo());
    void queue.process('job', 1, async ({ data }) => {
      if (data.executionId === 'fails') throw new Error('broken');
      if (data.executionId === 'runs') await held;
      return { success: true };
    });
    await (await addJob(queue, 'removed')).finished();
    await (await addJob(queue, 'kept', { removeOnComplete: false })).finished();
    await (await addJob(queue, 'fails')).finished().catch(() => {});
    await addJob(queue, 'runs');
    while ((await queue.getActiveCount()) < 1) await sleep(10);
    await addJob(queue, 'later', { delay: 60_000 });
    await addJob(queue, 'third', { priority: 100, timestamp: Date.now() - 30_000 });
    await addJob(queue, 'first', { priority: 50, timestamp: Date.now() - 10_000 });
    await addJob(queue, 'second', { priority: 50 });
    return { queue, letGo };
  }
}
