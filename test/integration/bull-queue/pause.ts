import type { OneServer } from './one-server.js';
import { addJob, runForFailure, jobsParameters, runForJson, sleep } from './support.js';

const PAUSE = { operation: 'pause' };
const RESUME = { operation: 'resume' };
/** The rights of a Redis user that the documentation asks for. */
const RIGHTS = ['~bull:*', '&bull:*', '+@read', '+@connection', '+@transaction', '+client|list'];
const WRITING = ['+eval', '+evalsha', '+rename', '+set', '+del', '+hset', '+hdel', '+publish'];

/** Pause Queue and Resume Queue. */
export function testPause(on: OneServer): void {
  const allowed = () => ({ ...on.fields, allowChanges: true });

  test('after a pause the running job ends and no other starts; after a resume all jobs run in order', async () => {
    const { queue, letGo } = await on.fill();
    const counts = { waiting: 0, active: 1, delayed: 1, paused: 3 };
    expect(await runForJson(allowed(), PAUSE)).toEqual([
      {
        ...{ queue: 'bull:jobs', isPaused: true, changed: true, ...counts },
        ...{ pools: [], poolsComplete: true, note: expect.any(String) },
      },
    ]);
    expect(await queue.isPaused()).toBe(true);
    expect(await runForJson(allowed(), PAUSE)).toEqual([expect.objectContaining({ changed: false, ...counts })]);
    letGo();
    while ((await queue.getActiveCount()) > 0) await sleep(10);
    await sleep(300);
    expect((await runForJson(on.fields, jobsParameters('paused'))).map(({ executionId }) => executionId)).toEqual([
      ...['first', 'second', 'third'],
    ]);
    expect(await runForJson(allowed(), RESUME)).toEqual([
      expect.objectContaining({ queue: 'bull:jobs', isPaused: false, changed: true, paused: 0 }),
    ]);
    while ((await queue.getJobCounts()).waiting > 0 || (await queue.getActiveCount()) > 0) await sleep(10);
    expect(await queue.isPaused()).toBe(false);
    expect(await runForJson(allowed(), RESUME)).toEqual([expect.objectContaining({ changed: false })]);
  });

  test('the recovery and the metrics of n8n do not see the jobs of a paused queue', async () => {
    const { queue } = await on.fill();
    await runForJson(allowed(), PAUSE);
    // The same calls of Bull as in n8n 2.41.1: recoverFromQueue and getPendingJobCounts in scaling.service.js.
    const seen = await queue.getJobs(['active', 'waiting']);
    expect(seen.map(({ data }) => (data as { executionId: string }).executionId)).toEqual(['runs']);
    expect((await queue.getJobCounts()).waiting).toBe(0);
    expect(await on.redis.llen('bull:jobs:paused')).toBe(3);
  });

  test.each([
    ['the credential does not allow it', {}, {}, 'Allow Changes of the credential'],
    ['an expression allows it by a text', { allowChanges: 'true' }, {}, 'Allow Changes of the credential'],
    ['it is the tool of an agent', { allowChanges: true }, { type: 'n8n-nodes-tuned.bullQueueTool' }, 'Operation'],
  ])('nothing changes if %s', async (_, fields, node, parameter) => {
    const { queue } = await on.fill();
    await queue.close(true);
    const before = await on.dump();
    for (const parameters of [PAUSE, RESUME]) {
      expect(await runForFailure({ ...on.fields, ...fields }, parameters, { node })).toMatchObject({ parameter });
    }
    expect(await on.dump()).toEqual(before);
  });

  test('Pause Queue refuses a queue that is probably not the one of n8n', async () => {
    await on.fill();
    expect(await runForFailure({ ...allowed(), prefix: 'wrong' }, PAUSE)).toMatchObject({ code: 'prefix' });
    expect(await on.redis.exists('wrong:jobs:meta-paused')).toBe(0);
  });

  test.each<[string, { queue?: string; prefix?: string }]>([
    ['is misspelt', { queue: 'job' }],
    ['has another prefix, in a Redis with more keys than are scanned', { prefix: 'b' }],
  ])('a queue that %s is refused: it never had a job', async (_, fields) => {
    await on.fill();
    if (fields.prefix) await on.addOtherKeys(200_000);
    const before = await on.redis.dbsize();
    for (const parameters of [PAUSE, RESUME])
      expect((await runForFailure({ ...allowed(), ...fields }, parameters)).code).toMatch(/^(no-queue|prefix)$/);
    expect(await on.redis.dbsize()).toBe(before);
  });

  test('if Redis answers late, the error says that it is unknown whether the queue is paused', async () => {
    await on.fill();
    // Redis continues to answer reads, and holds back commands that write.
    await on.redis.client('PAUSE', 60_000, 'WRITE');
    try {
      expect(await runForFailure(allowed(), PAUSE)).toMatchObject({ code: 'unknown' });
    } finally {
      await on.redis.client('UNPAUSE');
    }
  });

  test('Pause Queue names the queues of worker pools, which are not paused', async () => {
    await on.fill();
    await addJob(on.newQueue('jobs-reports'), '1');
    expect(await runForJson(allowed(), PAUSE)).toEqual([expect.objectContaining({ pools: ['bull:jobs-reports'] })]);
    expect(await on.redis.exists('bull:jobs-reports:meta-paused')).toBe(0);
  });

  test('Pause Queue also names them among many other keys, and says if some may be missing', async () => {
    await on.fill();
    await on.addOtherKeys(200_000);
    await addJob(on.newQueue('jobs-reports'), '1');
    expect(await runForJson(allowed(), PAUSE)).toEqual([
      expect.objectContaining({ pools: ['bull:jobs-reports'], poolsComplete: true }),
    ]);
    // More counters than the search reads.
    await on.redis.mset(Object.fromEntries(Array.from({ length: 1100 }, (_, i) => [`bull:other${i}:id`, '1'])));
    expect(await runForJson(allowed(), PAUSE)).toEqual([
      expect.objectContaining({ poolsComplete: false, note: expect.stringContaining('worker pools may be missing') }),
    ]);
  });

  test('Pause Queue does not rename a list over existing jobs', async () => {
    const { queue } = await on.fill();
    await queue.close(true);
    await on.redis.lpush('bull:jobs:paused', '99');
    const before = await on.dump();
    expect(await runForFailure(allowed(), PAUSE)).toMatchObject({ code: 'inconsistent' });
    expect(await on.dump()).toEqual(before);
  });

  test('a read-only user gets an error that names the missing rights; with these rights it may pause', async () => {
    const { queue } = await on.fill();
    await queue.close(true);
    const before = await on.dump();
    const user = { user: 'operator', password: 'lesen' };
    await on.redis.acl('SETUSER', 'operator', 'reset', 'on', '>lesen', ...RIGHTS);
    const { code, message } = await runForFailure({ ...allowed(), ...user }, PAUSE);
    expect(code).toBe('permission');
    for (const right of WRITING) expect(message).toContain(right);
    expect(await on.dump()).toEqual(before);
    await on.redis.acl('SETUSER', 'operator', ...WRITING);
    expect(await runForJson({ ...allowed(), ...user }, PAUSE)).toEqual([expect.objectContaining({ isPaused: true })]);
    expect(await runForJson({ ...allowed(), ...user }, RESUME)).toEqual([expect.objectContaining({ isPaused: false })]);
    expect(await on.dump()).toEqual(before);
  });
}
