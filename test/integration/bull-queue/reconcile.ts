import type { IDataObject } from 'n8n-workflow';
import { credential, run } from '../../nodes/queue/execution.js';
import type { OneServer } from './one-server.js';
import { addJob, runForFailure, sleep } from './support.js';

const operation = { operation: 'reconcile', graceTime: 0.3, manualHaveJobs: false };
const execution = (id: string, status: string, more: IDataObject = {}): IDataObject => ({
  ...{ id, status, mode: 'webhook', workflowId: 'w1', startedAt: null },
  ...more,
});

/** Reconcile. */
export function testReconcile(on: OneServer): void {
  const items = (input: IDataObject[], more: IDataObject = {}) =>
    run({ parameters: input.map(() => ({ ...operation, ...more })), input, credential: credential(on.fields) });
  const runReconcile = async (input: IDataObject[], more: IDataObject = {}): Promise<any> =>
    (await items(input, more))[0]?.json;

  test('one item lists executions without a job, jobs of ended executions and jobs of unknown executions', async () => {
    await on.fill();
    const listed = [
      ...[execution('runs', 'running'), execution('first', 'new'), execution('second', 'crashed')],
      ...[execution('lost', 'running', { startedAt: '2026-01-01T00:00:00.000Z' }), execution('never', 'new')],
      ...[execution('child', 'running', { mode: 'integrated' }), execution('kept', 'success')],
    ];
    const output = await items(listed);
    expect(output).toHaveLength(1);
    expect(output[0]?.pairedItem).toEqual(listed.map((_, item) => ({ item })));
    const age = expect.any(Number);
    expect(output[0]?.json).toEqual({
      ...{
        queue: 'bull:jobs',
        exists: true,
        queues: ['bull:jobs'],
        executions: 7,
        compared: 4,
        needNoJob: 1,
        jobs: 5,
        complete: true,
      },
      withoutJob: [
        {
          executionId: 'lost',
          workflowId: 'w1',
          status: 'running',
          mode: 'webhook',
          startedAt: '2026-01-01T00:00:00.000Z',
        },
        { executionId: 'never', workflowId: 'w1', status: 'new', mode: 'webhook', startedAt: null },
      ],
      ended: [
        {
          ...{ executionId: 'second', workflowId: 'w1', status: 'crashed' },
          ...{ queue: 'bull:jobs', jobId: '8', state: 'waiting', ageMs: age },
        },
      ],
      notListed: [
        expect.objectContaining({ executionId: 'later', jobId: '5', state: 'delayed', workflowId: 'w1' }),
        expect.objectContaining({ executionId: 'third', jobId: '6', state: 'waiting', workflowId: 'w1' }),
      ],
    });
  });

  test('jobs of a paused queue count', async () => {
    const queue = on.newQueue();
    await addJob(queue, '1');
    await queue.pause();
    expect(await runReconcile([execution('1', 'new')])).toMatchObject({ withoutJob: [], notListed: [], jobs: 1 });
  });

  test('an execution whose job is added within the grace time is not reported, nor a job that is removed within it', async () => {
    const queue = on.newQueue();
    await addJob(queue, 'ended');
    const outcome = runReconcile([execution('1', 'new'), execution('ended', 'success'), execution('2', 'new')]);
    await sleep(100);
    await addJob(queue, '1');
    await queue.removeJobs('1');
    expect(await outcome).toMatchObject({ withoutJob: [{ executionId: '2' }], ended: [], notListed: [] });
  });

  test('the queues of worker pools are searched, other queues are not', async () => {
    await addJob(on.newQueue('jobs-reports'), '1');
    await addJob(on.newQueue('other'), '2');
    await addJob(on.newQueue('jobs', 'elsewhere'), '2');
    await addJob(on.newQueue(), '3');
    const listed = ['1', '2', '3'].map((id) => execution(id, 'running'));
    expect(await runReconcile(listed)).toMatchObject({
      ...{ queues: ['bull:jobs', 'bull:jobs-reports'], jobs: 2, withoutJob: [{ executionId: '2' }], notListed: [] },
    });
  });

  test('given the queue of a worker pool, Reconcile also searches the other queues of the same n8n', async () => {
    await addJob(on.newQueue('jobs-reports'), '1');
    await addJob(on.newQueue('jobs-mail'), '2');
    await addJob(on.newQueue(), '3');
    const listed = ['1', '2', '3', '4'].map((id) => execution(id, 'running'));
    expect(await runReconcile(listed, { queue: 'jobs-reports' })).toMatchObject({
      ...{ queues: ['bull:jobs-reports', 'bull:jobs', 'bull:jobs-mail'], withoutJob: [{ executionId: '4' }] },
    });
  });

  test('the queues are found among many keys; if some may be missing, no execution is reported as without a job', async () => {
    await on.addOtherKeys(200_000);
    await addJob(on.newQueue('jobs-reports'), '1');
    const listed = [execution('1', 'running'), execution('2', 'running')];
    expect(await runReconcile(listed, { graceTime: 0 })).toMatchObject({
      ...{ complete: true, withoutJob: [{ executionId: '2' }] },
    });
    // More counters than the search reads.
    await on.redis.mset(Object.fromEntries(Array.from({ length: 1100 }, (_, i) => [`bull:other${i}:id`, '1'])));
    expect(await runReconcile(listed, { graceTime: 0 })).toMatchObject({ complete: false, withoutJob: null });
  });

  test('without executions and without jobs, Reconcile outputs one item without findings', async () => {
    expect(await runReconcile([{}])).toEqual({
      ...{ queue: 'bull:jobs', exists: false, queues: ['bull:jobs'] },
      ...{
        executions: 0,
        compared: 0,
        needNoJob: 0,
        jobs: 0,
        complete: true,
        withoutJob: [],
        ended: [],
        notListed: [],
      },
      note: expect.stringContaining('never had a job'),
    });
  });

  test('a list of thousands of findings is cut', async () => {
    const listed = Array.from({ length: 1500 }, (_, i) => execution(`${i}`, 'running'));
    const outcome = await runReconcile(listed, { graceTime: 0 });
    expect(outcome).toMatchObject({ executions: 1500, compared: 1500, note: expect.stringContaining('1000') });
    expect(outcome.withoutJob).toHaveLength(1000);
  });

  test('an input item that is not an execution fails the run', async () => {
    expect(await runForFailure(on.fields, operation, { input: [{ name: 'x' }] })).toMatchObject({
      parameter: 'Input Items',
    });
  });
}
