import { operations } from '../../nodes/BullQueue/operations';
import { FakeRedis } from './queue/fakeRedis';

/** Tests searches that include the queues of worker pools. */

const runOperation = async (redis: FakeRedis, operation: 'job' | 'pause', parameters: object = {}): Promise<any> => {
  const run = { connection: redis.connection, items: [] };
  return (await operations[operation].execute(parameters, run as never))[0];
};
const runGetJob = (redis: FakeRedis, id: string) => runOperation(redis, 'job', { by: 'executionId', id });

describe('Get Job, by the id of an execution', () => {
  const data = { executionId: '7' };

  test('returns the newest of several jobs', async () => {
    const redis = new FakeRedis();
    redis.add({ id: '1', timestamp: 1000, data });
    redis.take();
    redis.add({ id: '2', timestamp: 2000, data });
    redis.add({ id: '3', timestamp: 2000, data });
    expect(await runGetJob(redis, '7')).toMatchObject({ found: true, jobId: '3', state: 'waiting' });
  });

  test('returns the newest of finished jobs, although more are kept than are read', async () => {
    const redis = new FakeRedis();
    const completed = new Map<string, number>();
    redis.sortedSets.set('bull:jobs:completed', completed);
    for (let i = 1; i <= 10_500; i++) {
      redis.put({ id: `${i}`, timestamp: i, data: { executionId: i > 10_400 ? '7' : `other ${i}` } });
      completed.set(`${i}`, i);
    }
    expect(await runGetJob(redis, '7')).toMatchObject({
      ...{ found: true, jobId: '10500', state: 'completed' },
      note: expect.stringContaining('10000 jobs of each queue'),
    });
  });

  test('looks in the queues of worker pools', async () => {
    const redis = new FakeRedis();
    redis.add({ id: '1', timestamp: 1000, data });
    redis.add({ id: '1', timestamp: 2000, data }, 'bull:jobs-reports');
    redis.add({ id: '1', timestamp: 3000, data }, 'bull:other');
    const found = await runGetJob(redis, '7');
    expect(found).toMatchObject({ queue: 'bull:jobs-reports', found: true, jobId: '1', timestamp: 2000 });
    expect(found).not.toHaveProperty('note');
  });

  test('names the queues that do not hold the job, and says if the search was cut short', async () => {
    const redis = new FakeRedis();
    redis.add({ id: '1', timestamp: 1000, data }, 'bull:jobs-reports');
    expect(await runGetJob(redis, '8')).toEqual({
      ...{ queue: 'bull:jobs', queues: ['bull:jobs', 'bull:jobs-reports'], found: false, executionId: '8' },
      note: 'The queues do not hold the job. n8n removes jobs when they end.',
    });
    redis.otherKeys = 6_000_000;
    expect((await runGetJob(redis, '8')).note).toMatch(/worker pools may be missing/);
  });
});

describe('Pause Queue', () => {
  const many = (otherKeys: number) => {
    const redis = new FakeRedis();
    redis.add({ id: '1', timestamp: 1000 });
    redis.add({ id: '1', timestamp: 1000 }, 'bull:jobs-reports');
    redis.texts.set('bull:jobs:meta-paused', '1');
    return Object.assign(redis, { otherKeys });
  };

  test('names the queues of worker pools among many other keys', async () => {
    expect(await runOperation(many(400_000), 'pause')).toMatchObject({
      ...{ pools: ['bull:jobs-reports'], poolsComplete: true, note: expect.not.stringContaining('missing') },
    });
  });

  test('says if the search was cut short', async () => {
    expect(await runOperation(many(6_000_000), 'pause')).toMatchObject({
      ...{ pools: [], poolsComplete: false, note: expect.stringContaining('worker pools may be missing') },
    });
  });
});
