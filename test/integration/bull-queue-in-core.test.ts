import Bull from 'bull';
import { credential } from '../nodes/queue/execution.js';
import { startRedis, type Server } from '../nodes/queue/servers.js';
import { CompiledNodes, RUNTIMES, type Result } from '../support/in-core.js';

/** Bull Queue as compiled, in the `WorkflowExecute` of each n8n-core, against a real Redis with a job of real Bull. */

let nodes: CompiledNodes;
let server: Server;
let queue: Bull.Queue;
beforeAll(async () => {
  nodes = new CompiledNodes();
  server = await startRedis();
  queue = new Bull('jobs', { redis: { port: server.port } });
  await queue.add('job', { executionId: '7', workflowId: 'abc' });
}, 60_000);
afterAll(async () => {
  await queue.close();
  await server.stop();
  nodes.remove();
});

describe.each(RUNTIMES)('in the core of %s', (runtime) => {
  const run = (executions: object[]): Promise<Result[]> => {
    const base = { type: 'n8n-nodes-tuned.bullQueue', credential: credential({ port: server.port }) };
    return nodes.run(
      runtime,
      executions.map((execution, i) => ({ executionId: `${i}`, ...base, ...execution })),
    );
  };

  test('every operation answers for each item', async () => {
    const page = { limit: 50, offset: 0, includeData: false };
    const [stats, jobs, workers, drained, job, queues, breakdown, reconciled] = await run([
      { parameters: { operation: 'stats', window: 0 } },
      {
        items: [{ state: 'active' }, { state: 'waiting' }],
        parameters: { operation: 'jobs', state: '={{ $json.state }}', ...page },
      },
      { parameters: { operation: 'workers' } },
      { parameters: { operation: 'waitUntilDrained', waitFor: 'activeAndWaiting', timeout: 0, pollInterval: 100 } },
      { parameters: { operation: 'job', by: 'executionId', id: '={{ 7 }}' } },
      { parameters: { operation: 'queues', allPrefixes: false } },
      { parameters: { operation: 'breakdown', maxJobs: 10, queue: { __rl: true, mode: 'name', value: 'jobs' } } },
      {
        items: [{ id: '7', status: 'new' }, { id: '8', status: 'running' }, {}],
        parameters: { operation: 'reconcile', graceTime: 0, manualHaveJobs: false },
      },
    ]);
    expect(stats?.error).toBeUndefined();
    expect(stats?.items).toEqual([
      { json: expect.objectContaining({ exists: true, waiting: 1, active: 0, added: 1 }), pairedItem: { item: 0 } },
    ]);
    expect(jobs?.items).toEqual([
      { json: expect.objectContaining({ jobId: '1', executionId: '7', workflowId: 'abc' }), pairedItem: { item: 1 } },
    ]);
    expect(workers?.items?.[0]?.json).toMatchObject({ workers: 0 });
    expect(job?.items?.[0]?.json).toMatchObject({ found: true, jobId: '1', state: 'waiting' });
    expect(queues?.items?.[0]?.json).toMatchObject({ queue: 'bull:jobs', waiting: 1 });
    expect(breakdown?.items?.[0]?.json).toMatchObject({ byWorkflow: [{ workflowId: 'abc', waiting: 1 }] });
    expect(reconciled?.items).toEqual([
      {
        json: expect.objectContaining({
          compared: 2,
          jobs: 1,
          withoutJob: [expect.objectContaining({ executionId: '8' })],
        }),
        pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }],
      },
    ]);
    expect(drained?.items?.[0]?.json).toMatchObject({ drained: false, last: { waiting: 1 } });
  }, 60_000);

  test('the node pauses and resumes the queue if the credential allows it, and never as a tool', async () => {
    const allowed = credential({ port: server.port, allowChanges: true });
    const [refused, tool, paused, resumed] = await run([
      { parameters: { operation: 'pause' } },
      { parameters: { operation: 'pause' }, credential: allowed, type: 'n8n-nodes-tuned.bullQueueTool' },
      { parameters: { operation: 'pause' }, credential: allowed },
      { parameters: { operation: 'resume' }, credential: allowed },
    ]);
    expect(refused?.error).toMatch(/the credential does not allow that/);
    expect(tool?.error).toMatch(/tool of an AI agent/);
    expect(paused?.items?.[0]?.json).toMatchObject({ isPaused: true, changed: true, paused: 1 });
    expect(resumed?.items?.[0]?.json).toMatchObject({ isPaused: false, changed: true, waiting: 1 });
  }, 60_000);

  test('a bad value or credential fails the execution, or only its item with "Continue On Fail"', async () => {
    const parameters = { operation: 'stats', window: '={{ $json.window }}' };
    const [bad, continued, refused] = await run([
      { items: [{ window: -1 }], parameters },
      { items: [{ window: 'soon' }, { window: 0 }], parameters, continueOnFail: true },
      { items: [{ window: 0 }], parameters, credential: credential({ port: 1 }) },
    ]);
    expect(bad?.error).toMatch(/Window.*-1/);
    expect(continued?.items?.map(({ json }) => json)).toEqual([
      { error: expect.stringMatching(/Window.*"soon"/) },
      expect.objectContaining({ waiting: 1 }),
    ]);
    expect(refused?.error).toMatch(/:1\b/);
  }, 60_000);
});
