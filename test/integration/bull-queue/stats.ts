import type { OneServer } from './one-server.js';
import { addJob, jobsParameters, runForJson, sleep, STATS } from './support.js';

/** Get Stats. */
export function testStats(on: OneServer): void {
  test('Get Stats counts every state, and gives the age of the oldest job although a more urgent one is next', async () => {
    await on.fill();
    const [stats] = await runForJson(on.fields, STATS);
    expect(stats).toEqual({
      ...{ queue: 'bull:jobs', exists: true, isPaused: false },
      ...{ waiting: 3, active: 1, delayed: 1, paused: 0, completed: 1, failed: 1, added: 8, finished: 3 },
      note: expect.stringContaining('1 of 3'),
      oldestWaitingAgeMs: expect.any(Number),
    });
    expect(stats.oldestWaitingAgeMs).toBeGreaterThanOrEqual(30_000);
    expect(stats.oldestWaitingAgeMs).toBeLessThan(35_000);
  });

  test('completed and failed are null when Bull has removed the jobs', async () => {
    const queue = on.newQueue();
    void queue.process('job', () => Promise.resolve());
    await (await addJob(queue, '1')).finished();
    const [stats] = await runForJson(on.fields, STATS);
    expect(stats).toMatchObject({ completed: null, failed: null, finished: 1, oldestWaitingAgeMs: null });
  });

  test('Get Stats reads a paused queue', async () => {
    const queue = on.newQueue();
    await queue.pause();
    await addJob(queue, '1', { timestamp: Date.now() - 5000 });
    const [stats] = await runForJson(on.fields, STATS);
    expect(stats).toMatchObject({ isPaused: true, waiting: 0, paused: 1 });
    expect(stats.oldestWaitingAgeMs).toBeGreaterThanOrEqual(5000);
    expect(await runForJson(on.fields, jobsParameters('paused'))).toEqual([
      expect.objectContaining({ executionId: '1' }),
    ]);
  });

  test('Get Stats gives rates over a window', async () => {
    const queue = on.newQueue();
    await addJob(queue, '0');
    const watching = runForJson(on.fields, { ...STATS, window: 1000 });
    await sleep(300);
    for (let i = 1; i <= 5; i++) await addJob(queue, `${i}`);
    const [{ rates, waiting, drain }] = await watching;
    expect(waiting).toBe(6);
    expect(rates.windowMs).toBeGreaterThanOrEqual(1000);
    expect(rates.addedPerSecond).toBeCloseTo(5_000 / rates.windowMs, 1);
    expect(rates).toMatchObject({ finishedPerSecond: 0, waitingPerSecond: rates.addedPerSecond });
    expect(drain).toEqual({
      ...{ backlog: 6, finishedJobs: 0, seconds: null, secondsWithoutNewJobs: null, reason: 'nothing-finished' },
    });
  });

  test('the execution that runs Get Stats does not count as backlog', async () => {
    const { queue } = await on.fill();
    for (const id of ['6', '7', '8']) await queue.removeJobs(id);
    const own = { executionId: 'runs', workflowId: 'w1' };
    const drainOf = async (execution: object) =>
      (await runForJson(on.fields, { ...STATS, window: 200 }, execution))[0].drain;
    expect(await drainOf(own)).toMatchObject({ backlog: 0, seconds: 0 });
    expect(await drainOf({ ...own, executionId: 'another' })).toMatchObject({ backlog: 1, seconds: null });
  });

  test('Get Stats estimates the time to drain while a worker works', async () => {
    const queue = on.newQueue();
    await queue.addBulk(
      Array.from({ length: 200 }, () => ({ name: 'job', data: {}, opts: { removeOnComplete: true } })),
    );
    void queue.process('job', 1, () => sleep(20));
    while ((await queue.getWaitingCount()) > 190) await sleep(10);
    const [{ drain, rates }] = await runForJson(on.fields, { ...STATS, window: 500 });
    expect(drain.finishedJobs).toBeGreaterThan(0);
    expect(drain.backlog).toBeLessThan(200);
    expect(drain.seconds).toBe(drain.secondsWithoutNewJobs);
    expect(drain.seconds).toBeCloseTo(drain.backlog / rates.finishedPerSecond, 0);
  });
}
