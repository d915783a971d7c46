import { operations } from '../../nodes/BullQueue/operations';
import { oldestWaiting } from '../../nodes/BullQueue/queue/oldest';
import { FakeRedis } from './queue/fakeRedis';

/** Tests readings of a queue whose jobs move between the commands. */

/** 100 urgent jobs and 20 others, of which the first is the oldest of all. */
function twoPriorities(): FakeRedis {
  const redis = new FakeRedis();
  for (let i = 0; i < 120; i++) {
    const urgent = i >= 20;
    redis.add({
      ...{ id: `${i}`, timestamp: 1000 + i, priority: urgent ? 50 : 100 },
      data: { workflowId: urgent ? 'urgent' : 'other' },
    });
  }
  return redis;
}

describe('the oldest waiting job', () => {
  test('is that of the less urgent priority', async () => {
    expect(await oldestWaiting(twoPriorities().connection)).toBe(1000);
  });

  test('is found while a worker takes a job before each command', async () => {
    const redis = twoPriorities();
    redis.beforeEach = () => redis.take();
    expect(await oldestWaiting(redis.connection)).toBe(1000);
  });

  test('is found while jobs of a more urgent priority are added before each command', async () => {
    const redis = twoPriorities();
    let next = 500;
    redis.beforeEach = () => redis.add({ id: `${next++}`, timestamp: 5000, priority: 50 });
    expect(await oldestWaiting(redis.connection)).toBe(1000);
  });

  test('is found although many jobs and a new priority are added between the commands', async () => {
    const redis = twoPriorities();
    let commands = 0;
    redis.beforeEach = () => {
      if (commands++ !== 5) return;
      for (let i = 0; i < 200; i++) redis.add({ id: `new ${i}`, timestamp: 5000, priority: 10 });
      for (let i = 0; i < 200; i++) redis.add({ id: `more ${i}`, timestamp: 5000, priority: 50 });
    };
    expect(await oldestWaiting(redis.connection)).toBe(1000);
    expect(commands).toBeGreaterThan(5);
  });

  test('is undefined in an empty queue, and may be one without a priority', async () => {
    const redis = new FakeRedis();
    expect(await oldestWaiting(redis.connection)).toBeUndefined();
    redis.add({ id: '1', timestamp: 7 });
    redis.add({ id: '2', timestamp: 8, priority: 50 });
    expect(await oldestWaiting(redis.connection)).toBe(7);
  });
});

test('the breakdown by priority and that by workflow are of the same moment', async () => {
  const redis = twoPriorities();
  redis.beforeEach = () => redis.take();
  const run = { connection: redis.connection, items: [] };
  const [outcome] = await operations.breakdown.execute({ maxJobs: 1000 }, run as never);
  const { byPriority, byWorkflow } = outcome as Record<string, Array<Record<string, any>>>;
  const urgent = byWorkflow!.find(({ workflowId }) => workflowId === 'urgent')!;
  expect(urgent.active).toBeGreaterThan(0);
  expect(urgent.waiting).toBe(100 - urgent.active);
  expect(byPriority).toEqual([
    { priority: 50, waiting: urgent.waiting },
    { priority: 100, waiting: 20 },
  ]);
});
