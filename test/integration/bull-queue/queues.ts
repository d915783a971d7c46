import { BullQueue } from '../../../nodes/BullQueue/BullQueue.node.js';
import { credential } from '../../nodes/queue/execution.js';
import type { OneServer } from './one-server.js';
import { addJob, runForJson, STATS } from './support.js';

const queues = (allPrefixes = false) => ({ operation: 'queues', allPrefixes });

/** Tests of Get Queues, and of the choice of a queue in the node. */
export function testQueues(on: OneServer): void {
  async function threeQueues(): Promise<void> {
    await addJob(on.newQueue(), '1');
    const pool = on.newQueue('jobs-pool');
    await pool.pause();
    await addJob(pool, '2');
    await addJob(on.newQueue('jobs', 'n8n-a'), '3');
    // Keys that look like those of a Bull queue but are not.
    await on.redis.set('bull:session:id', 'abc');
    await on.redis.lpush('bull:list:id', '1');
  }

  test('Get Queues lists the queues of the prefix, or of all prefixes, with their counts', async () => {
    await threeQueues();
    expect(await runForJson(on.fields, queues())).toEqual([
      {
        ...{ queue: 'bull:jobs', prefix: 'bull', name: 'jobs', isPaused: false },
        ...{ waiting: 1, active: 0, delayed: 0, paused: 0, added: 1 },
      },
      expect.objectContaining({ queue: 'bull:jobs-pool', name: 'jobs-pool', isPaused: true, waiting: 0, paused: 1 }),
    ]);
    const names = (await runForJson(on.fields, queues(true))).map(({ queue }) => queue);
    expect(names).toEqual(['bull:jobs', 'bull:jobs-pool', 'n8n-a:jobs']);
  });

  test('a prefix is not read as a pattern', async () => {
    await threeQueues();
    expect(await runForJson({ ...on.fields, prefix: 'b*', queue: 'none' }, queues())).toEqual([
      { queues: 0, prefix: 'b*' },
    ]);
  });

  test('without a queue, Get Queues outputs one item that says so', async () => {
    expect(await runForJson(on.fields, queues())).toEqual([{ queues: 0, prefix: 'bull' }]);
    expect(await runForJson(on.fields, queues(true))).toEqual([{ queues: 0 }]);
  });

  test('the node reads the chosen queue instead of the one in the credential', async () => {
    await threeQueues();
    const read = async (queue: unknown) => (await runForJson(on.fields, { ...STATS, queue: queue as string }))[0].queue;
    expect(await read({ __rl: true, mode: 'list', value: 'jobs-pool' })).toBe('bull:jobs-pool');
    expect(await read('jobs-pool')).toBe('bull:jobs-pool');
    expect(await read({ __rl: true, mode: 'list', value: '' })).toBe('bull:jobs');
  });

  test('the list search offers the queues of the prefix, and closes its connection', async () => {
    await threeQueues();
    const before = await on.clients();
    const context = { getCredentials: () => Promise.resolve(credential(on.fields)) };
    const search = (filter?: string) => new BullQueue().methods.listSearch.searchQueues.call(context as never, filter);
    const [jobs, pool] = ['jobs', 'jobs-pool'].map((name) => ({ name, value: name }));
    expect(await search()).toEqual({ results: [jobs, pool] });
    expect(await search('POOL')).toEqual({ results: [pool] });
    expect(await on.clients()).toBe(before);
  });
}
