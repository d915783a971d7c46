import type { OneServer } from './one-server.js';
import { addJob, drainParameters, runForJson, sleep } from './support.js';

/** Wait Until Drained. */
export function testDrain(on: OneServer): void {
  test('a drain reports how long it took and how many jobs there were', async () => {
    const { queue, letGo } = await on.fill();
    await queue.removeJobs('5'); // the delayed one
    setTimeout(letGo, 400);
    const [outcome] = await runForJson(on.fields, drainParameters(10));
    expect(outcome).toEqual({
      ...{ queue: 'bull:jobs', exists: true, drained: true, waitedMs: expect.any(Number) },
      last: { waiting: 0, active: 0, delayed: 0, paused: 0 },
      peak: { waiting: 3, active: 1, delayed: 0, paused: 0 },
    });
    expect(outcome.waitedMs).toBeGreaterThanOrEqual(300);
    expect(outcome.waitedMs).toBeLessThan(3000);
  });

  test('a timeout is an outcome, not an error; a delayed job counts', async () => {
    await addJob(on.newQueue(), '1', { delay: 60_000 });
    const [outcome] = await runForJson(on.fields, drainParameters(0.3));
    expect(outcome).toMatchObject({ drained: false, last: { waiting: 0, delayed: 1 } });
    expect(outcome.waitedMs).toBeGreaterThanOrEqual(300);
    expect(outcome.waitedMs).toBeLessThan(1500);
    expect(await runForJson(on.fields, drainParameters(0))).toEqual([expect.objectContaining({ drained: false })]);
  });

  test('an empty queue is drained at once', async () => {
    expect(await runForJson(on.fields, drainParameters(10))).toEqual([
      expect.objectContaining({ drained: true, exists: false }),
    ]);
  });

  test('a lost connection is opened again; the queue counts as drained only if it was read as empty', async () => {
    const { queue, letGo } = await on.fill();
    for (const id of ['5', '6', '7', '8']) await queue.removeJobs(id);
    setTimeout(() => void on.redis.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes'), 300);
    setTimeout(letGo, 1500);
    const [outcome] = await runForJson(on.fields, drainParameters(20));
    expect(outcome).toMatchObject({ drained: true, peak: { active: 1 } });
    expect(outcome.waitedMs).toBeGreaterThan(1000);
  });

  test('the execution that waits does not wait for itself', async () => {
    const { queue } = await on.fill();
    for (const id of ['5', '6', '7', '8']) await queue.removeJobs(id);
    const own = { executionId: 'runs', workflowId: 'w1' };
    expect(await runForJson(on.fields, drainParameters(0.2), own)).toEqual([
      expect.objectContaining({ drained: true }),
    ]);
    const others = { executionId: 'runs', workflowId: 'w2' };
    expect(await runForJson(on.fields, drainParameters(0.2), others)).toEqual([
      expect.objectContaining({ drained: false }),
    ]);
  });

  test('the node waits only for the states in waitFor', async () => {
    const { queue, letGo } = await on.fill();
    const isDrained = async (waitFor: string) =>
      (await runForJson(on.fields, drainParameters(0, { waitFor })))[0].drained;
    const outcomes = () => Promise.all(['active', 'activeAndWaiting', 'everything'].map(isDrained));
    expect(await outcomes()).toEqual([false, false, false]);
    await queue.pause();
    letGo();
    while ((await queue.getActiveCount()) > 0) await sleep(10);
    // The three waiting jobs are still there, paused.
    expect(await outcomes()).toEqual([true, false, false]);
    for (const id of ['6', '7', '8']) await queue.removeJobs(id);
    expect(await outcomes()).toEqual([true, true, false]);
    await queue.removeJobs('5');
    expect(await outcomes()).toEqual([true, true, true]);
  });

  test('drains, also in a sub-workflow, can ignore each other; other jobs and waiting ones count', async () => {
    const { queue } = await on.fill();
    const own = { executionId: '77', workflowId: 'child' };
    const look = async (ignoreWorkflows: string, waitFor = 'active') =>
      (await runForJson(on.fields, drainParameters(0, { waitFor, ignoreWorkflows }), own))[0];
    expect(await look('')).toMatchObject({ drained: false, last: { active: 1 } });
    expect(await look('w2, child')).toMatchObject({ drained: false, last: { active: 1 } });
    expect(await look('w2, w1')).toMatchObject({ drained: true, last: { active: 0, waiting: 3 } });
    expect(await look('w1', 'activeAndWaiting')).toMatchObject({ drained: false, last: { waiting: 3 } });
    void queue.process('other', 1, () => sleep(500));
    await queue.add('other', { executionId: '9', workflowId: 'w3' }, { priority: 1 });
    while ((await queue.getActiveCount()) < 2) await sleep(10);
    expect(await look('w1')).toMatchObject({ drained: false, last: { active: 1 } });
  });

  test('the wait stops when the execution is stopped, and leaves no connection open', async () => {
    await addJob(on.newQueue(), '1');
    const before = await on.clients();
    const execution = new AbortController();
    setTimeout(() => execution.abort(), 300);
    const start = performance.now();
    expect(await runForJson(on.fields, drainParameters(60), { signal: execution.signal })).toEqual([]);
    expect(performance.now() - start).toBeLessThan(1500);
    await sleep(100);
    expect(await on.clients()).toBe(before);
  });
}
