import type { IDataObject } from 'n8n-workflow';
import { BullQueue } from '../../../nodes/BullQueue/BullQueue.node.js';
import { credential } from '../../nodes/queue/execution.js';
import type { OneServer } from './one-server.js';
import { addJob, jobsParameters, runForJson, STATS, WORKERS } from './support.js';

/** Tests of the prefix and the queue in the credential. */
export function testPrefix(on: OneServer): void {
  test('a queue that never had a job, beside one with another prefix, gives a warning', async () => {
    await addJob(on.newQueue('jobs', 'n8n-a'), '1');
    const warning = expect.stringContaining('n8n-a:jobs');
    const hints: string[] = [];
    expect(await runForJson(on.fields, STATS, { hints })).toEqual([
      expect.objectContaining({ exists: false, waiting: 0, warning }),
    ]);
    expect(await runForJson(on.fields, WORKERS)).toEqual([expect.objectContaining({ workers: 0, warning })]);
    expect(await runForJson(on.fields, jobsParameters('waiting'), { hints })).toEqual([]);
    expect(hints).toEqual([warning, warning]);
    const [right] = await runForJson({ ...on.fields, prefix: 'n8n-a' }, STATS);
    expect(right).toMatchObject({ waiting: 1 });
    expect(right).not.toHaveProperty('warning');
  });

  test('a queue that never had a job is empty', async () => {
    await addJob(on.newQueue(), '1');
    const [stats] = await runForJson({ ...on.fields, queue: 'jobs-pool' }, STATS);
    expect(stats).toMatchObject({ queue: 'bull:jobs-pool', exists: false, waiting: 0, finished: 0 });
  });

  test('the credential test reports the queue that it found', async () => {
    const test = (more: IDataObject) =>
      new BullQueue().methods.credentialTest.bullQueueApiTest.call({} as never, {
        ...{ id: '1', name: 'queue', type: 'bullQueueApi' },
        data: credential({ ...on.fields, ...more }) as never,
      });
    const at = `Redis at localhost:${on.server.port}`;
    expect(await test({})).toEqual({
      status: 'OK',
      message: `Warning: bull:jobs in ${at} never had a job. There is no other queue.`,
    });
    await addJob(on.newQueue(), '1');
    expect(await test({})).toEqual({ status: 'OK', message: `bull:jobs in ${at}: 1 waiting, 0 active` });
    expect(await test({ queue: 'job' })).toEqual({
      status: 'OK',
      message: `Warning: bull:job in ${at} never had a job. Queues there: bull:jobs.`,
    });
    expect(await test({ prefix: 'b' })).toMatchObject({
      status: 'OK',
      message: expect.stringContaining('bull:jobs'),
    });
    expect(await test({ port: -1 })).toMatchObject({ status: 'Error', message: expect.stringContaining('Port') });
  });

  test('the search for other queues is bounded', async () => {
    await on.addOtherKeys(200_000);
    const start = performance.now();
    const [stats] = await runForJson(on.fields, STATS);
    expect(stats.exists).toBe(false);
    expect(performance.now() - start).toBeLessThan(3000);
  });
}
