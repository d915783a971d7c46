import type { OneServer } from './one-server.js';
import { jobsParameters, runForJson } from './support.js';

/** Get Jobs. */
export function testJobs(on: OneServer): void {
  test('Get Jobs lists every state in its order, with job data only on request', async () => {
    await on.fill();
    const ids = async (state: string, more = {}) =>
      (await runForJson(on.fields, jobsParameters(state, more))).map(({ executionId }) => executionId);
    expect(await ids('waiting')).toEqual(['first', 'second', 'third']);
    expect(await ids('waiting', { limit: 1, offset: 1 })).toEqual(['second']);
    expect(await ids('waiting', { offset: 3 })).toEqual([]);
    expect(await ids('active')).toEqual(['runs']);
    expect(await ids('delayed')).toEqual(['later']);
    expect(await ids('paused')).toEqual([]);
    expect(await ids('completed')).toEqual(['kept']);
    const [failed] = await runForJson(on.fields, jobsParameters('failed'));
    expect(failed).toEqual({
      ...{ jobId: '3', state: 'failed', executionId: 'fails', workflowId: 'w1', attempts: 1, failedReason: 'broken' },
      ...{ timestamp: expect.any(Number), ageMs: expect.any(Number) },
      ...{ processedOn: expect.any(Number), finishedOn: expect.any(Number) },
    });
    const [kept] = await runForJson(on.fields, jobsParameters('completed', { includeData: true }));
    expect(kept).toMatchObject({ data: { executionId: 'kept', loadStaticData: false }, result: { success: true } });
  });

  test('active jobs are listed with their running time and lock', async () => {
    await on.fill();
    const [active] = await runForJson(on.fields, jobsParameters('active'));
    expect(active).toMatchObject({
      ...{ executionId: 'runs', runningMs: expect.any(Number) },
      lock: { held: true, leftMs: expect.any(Number), stalled: false },
    });
    expect(active.runningMs).toBeLessThanOrEqual(active.ageMs);
    await on.redis.del('bull:jobs:4:lock');
    await on.redis.sadd('bull:jobs:stalled', '4');
    expect((await runForJson(on.fields, jobsParameters('active')))[0].lock).toEqual({
      held: false,
      leftMs: null,
      stalled: true,
    });
    expect((await runForJson(on.fields, jobsParameters('waiting')))[0]).not.toHaveProperty('lock');
  });

  test('jobs that n8n did not add are listed without an execution', async () => {
    await on.newQueue().add('job', 'text');
    expect(await runForJson(on.fields, jobsParameters('waiting'))).toEqual([
      expect.objectContaining({ jobId: '1', executionId: null, workflowId: null }),
    ]);
  });
}
