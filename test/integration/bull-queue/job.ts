import type { OneServer } from './one-server.js';
import { addJob, runForJson } from './support.js';

const byJob = (id: unknown) => ({ operation: 'job', by: 'jobId', id: id as string });
const byExecution = (id: unknown) => ({ operation: 'job', by: 'executionId', id: id as string });

/** Get Job. */
export function testJob(on: OneServer): void {
  test('an active job has its lock and its running time, but no data of the execution', async () => {
    const { queue } = await on.fill();
    const active = await queue.getJob('4');
    await active?.progress({ kind: 'respond-to-webhook', response: { body: 'a secret' } });
    const [outcome] = await runForJson(on.fields, byExecution('runs'));
    expect(outcome).toEqual({
      ...{ queue: 'bull:jobs', found: true, jobId: '4', state: 'active', executionId: 'runs', workflowId: 'w1' },
      ...{ timestamp: expect.any(Number), ageMs: expect.any(Number), processedOn: expect.any(Number) },
      ...{ finishedOn: null, attempts: 0, stalledCount: 0, priority: 0 },
      ...{ progress: null, lastMessage: 'respond-to-webhook', runningMs: expect.any(Number) },
      lock: { held: true, leftMs: expect.any(Number), stalled: false },
    });
    // Bull's default duration of a lock; n8n sets 60 s.
    expect(outcome.lock.leftMs).toBeGreaterThan(10_000);
    expect(outcome.lock.leftMs).toBeLessThanOrEqual(30_000);
    expect(await runForJson(on.fields, byJob(4))).toEqual([expect.objectContaining({ executionId: 'runs' })]);
  });

  test('an active job without a lock counts as stalled as soon as a check has marked it', async () => {
    await on.fill();
    await on.redis.del('bull:jobs:4:lock');
    const lock = async () => (await runForJson(on.fields, byJob('4')))[0].lock;
    expect(await lock()).toEqual({ held: false, leftMs: null, stalled: false });
    await on.redis.sadd('bull:jobs:stalled', '4');
    expect(await lock()).toEqual({ held: false, leftMs: null, stalled: true });
  });

  test('Get Job reports every other state', async () => {
    const { queue } = await on.fill();
    const stateOf = async (id: string) => (await runForJson(on.fields, byExecution(id)))[0].state;
    expect(await stateOf('first')).toBe('waiting');
    expect(await stateOf('later')).toBe('delayed');
    expect(await stateOf('kept')).toBe('completed');
    expect(await runForJson(on.fields, byExecution('fails'))).toEqual([
      expect.objectContaining({ state: 'failed', failedReason: 'broken', attempts: 1 }),
    ]);
    await queue.pause();
    expect(await runForJson(on.fields, byExecution('first'))).toEqual([
      expect.objectContaining({ state: 'paused', priority: 50 }),
    ]);
  });

  test('a missing job is an outcome, not an error', async () => {
    await on.fill();
    const nothing = { queue: 'bull:jobs', found: false, note: expect.any(String) };
    expect(await runForJson(on.fields, byExecution('removed'))).toEqual([
      { ...nothing, queues: ['bull:jobs'], executionId: 'removed' },
    ]);
    expect(await runForJson(on.fields, byJob('99'))).toEqual([{ ...nothing, jobId: '99' }]);
    // Keys of the queue that do not belong to a job.
    for (const jobId of ['wait', 'id', 'completed']) {
      expect(await runForJson(on.fields, byJob(jobId))).toEqual([{ ...nothing, jobId }]);
    }
  });

  test('Get Job finds the newest job of an execution, also in the queue of a worker pool', async () => {
    const { queue } = await on.fill();
    await addJob(queue, 'runs', { delay: 60_000, timestamp: Date.now() - 60_000 });
    expect(await runForJson(on.fields, byExecution('runs'))).toEqual([expect.objectContaining({ state: 'active' })]);
    await addJob(queue, 'runs', { timestamp: Date.now() + 1000 });
    expect(await runForJson(on.fields, byExecution('runs'))).toEqual([expect.objectContaining({ state: 'waiting' })]);
    await addJob(on.newQueue('jobs-reports'), 'runs', { timestamp: Date.now() + 2000 });
    expect(await runForJson(on.fields, byExecution('runs'))).toEqual([
      expect.objectContaining({ queue: 'bull:jobs-reports', jobId: '1', state: 'waiting' }),
    ]);
  });

  test('Get Job searches thousands of jobs for an execution', async () => {
    const queue = on.newQueue();
    const jobs = Array.from({ length: 2500 }, (_, i) => ({ name: 'job', data: { executionId: `${i}` } }));
    await queue.addBulk(jobs);
    await addJob(queue, 'last');
    expect(await runForJson(on.fields, byExecution(2400))).toEqual([expect.objectContaining({ jobId: '2401' })]);
    expect(await runForJson(on.fields, byExecution('last'))).toEqual([expect.objectContaining({ found: true })]);
  });

  test('Get Job finds a running job although more jobs wait than it reads', async () => {
    const { queue } = await on.fill();
    await queue.addBulk(Array.from({ length: 10_001 }, (_, i) => ({ name: 'job', data: { executionId: `w${i}` } })));
    expect(await runForJson(on.fields, byExecution('runs'))).toEqual([
      expect.objectContaining({ found: true, state: 'active' }),
    ]);
  });
}
