import type { OneServer } from './one-server.js';
import { addJob, runForJson } from './support.js';

const breakdown = (maxJobs = 1000) => ({ operation: 'breakdown', maxJobs });

/** Get Breakdown. */
export function testBreakdown(on: OneServer): void {
  test('Get Breakdown counts the unfinished jobs by priority and by workflow', async () => {
    const { queue } = await on.fill();
    await addJob(queue, 'other', { timestamp: Date.now() - 60_000 }, 'w2');
    await queue.add('job', 'text', { priority: 50 });
    const [outcome] = await runForJson(on.fields, breakdown());
    const age = expect.any(Number);
    expect(outcome).toEqual({
      ...{ queue: 'bull:jobs', jobs: 7, read: 7, complete: true },
      byPriority: [
        { priority: 50, waiting: 3 },
        { priority: 100, waiting: 1 },
        { priority: null, waiting: 1 },
      ],
      byWorkflow: [
        { workflowId: 'w1', active: 1, waiting: 3, delayed: 1, oldestWaitingAgeMs: age },
        expect.objectContaining({ waiting: 1 }),
        expect.objectContaining({ waiting: 1 }),
      ],
    });
    expect(outcome.byWorkflow.slice(1)).toEqual(
      expect.arrayContaining([
        { workflowId: 'w2', active: 0, waiting: 1, delayed: 0, oldestWaitingAgeMs: age },
        { workflowId: null, active: 0, waiting: 1, delayed: 0, oldestWaitingAgeMs: age },
      ]),
    );
    expect(outcome.byWorkflow[0].oldestWaitingAgeMs).toBeGreaterThanOrEqual(30_000);
  });

  test('a breakdown beyond the limit is marked as cut; jobs of a paused queue count as waiting', async () => {
    const { queue } = await on.fill();
    await queue.pause();
    const [outcome] = await runForJson(on.fields, breakdown(2));
    expect(outcome).toMatchObject({
      ...{ jobs: 5, read: 2, complete: false, note: expect.stringContaining('2 of 5') },
      byPriority: [
        { priority: 50, waiting: 2 },
        { priority: 100, waiting: 1 },
      ],
      byWorkflow: [{ workflowId: 'w1', active: 1, waiting: 1, delayed: 0 }],
    });
  });

  test('Get Breakdown takes an empty queue and thousands of jobs', async () => {
    expect(await runForJson(on.fields, breakdown())).toEqual([
      { queue: 'bull:jobs', jobs: 0, read: 0, complete: true, byPriority: [], byWorkflow: [] },
    ]);
    const data = { executionId: '1', workflowId: 'many' };
    await on.newQueue().addBulk(Array.from({ length: 2500 }, () => ({ name: 'job', data, opts: { priority: 100 } })));
    expect(await runForJson(on.fields, breakdown(10_000))).toEqual([
      expect.objectContaining({
        ...{ jobs: 2500, read: 2500, byPriority: [{ priority: 100, waiting: 2500 }] },
        byWorkflow: [expect.objectContaining({ workflowId: 'many', waiting: 2500 })],
      }),
    ]);
  });
}
