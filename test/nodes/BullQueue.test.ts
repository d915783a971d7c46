import { BullQueueApi } from '../../credentials/BullQueueApi.credentials';
import { BullQueue } from '../../nodes/BullQueue/BullQueue.node';
import { readAddress, readQueue } from '../../nodes/BullQueue/credential';
import { estimateDrain, computeRates, describeCounts } from '../../nodes/BullQueue/operations/stats';
import { queueName, redisName } from '../../nodes/BullQueue/queue/address';
import { countByWorkflow } from '../../nodes/BullQueue/queue/breakdown';
import { listNames } from '../../nodes/BullQueue/queue/find';
import { parseLock } from '../../nodes/BullQueue/queue/lock';
import { toQueueProblem } from '../../nodes/BullQueue/queue/problem';
import { parseWorkers } from '../../nodes/BullQueue/queue/workers';
import { ParameterError } from '../../nodes/shared/parameters';
import { credential, run } from './queue/execution';

describe('the credential', () => {
  test('its defaults are those of n8n', () => {
    const defaults = Object.fromEntries(new BullQueueApi().properties.map(({ name, default: value }) => [name, value]));
    expect(defaults).toEqual(credential());
    expect(readAddress(credential())).toEqual({
      redis: { host: 'localhost', port: 6379, database: 0 },
      prefix: 'bull',
      queue: 'jobs',
    });
  });

  test('reads every field', () => {
    const fields = {
      host: ' ::1 ',
      port: '6380',
      database: 2,
      user: 'reader',
      password: ' secret ',
      tls: true,
    };
    const address = readAddress(credential(fields));
    expect(address).toMatchObject({
      redis: { host: '::1', port: 6380, database: 2 },
      user: 'reader',
      password: ' secret ',
      tls: {},
    });
    expect(redisName(address)).toBe('Redis at [::1]:6380 (database 2)');
  });

  test('ignores a CA certificate without TLS, and trusts the public authorities without a CA certificate', () => {
    expect(readAddress(credential({ ca: 'PEM' })).tls).toBeUndefined();
    expect(readAddress(credential({ tls: true })).tls).toEqual({});
  });

  test('uses cluster nodes instead of host, port and database, and adds braces to the prefix, as n8n does', () => {
    const address = readAddress(
      credential({ clusterNodes: 'redis-0:7000, [::1]:7001,', host: undefined, port: undefined }),
    );
    expect(address.redis).toEqual({
      nodes: [
        { host: 'redis-0', port: 7000 },
        { host: '::1', port: 7001 },
      ],
    });
    expect(redisName(address)).toBe('Redis Cluster at redis-0:7000, [::1]:7001');
    expect(queueName(address)).toBe('{bull}:jobs');
    expect(queueName({ ...address, prefix: '{bull}' })).toBe('{bull}:jobs');
  });

  test.each([
    [{ host: '' }, 'Host of the credential'],
    [{ host: 'redis://:geheim@redis' }, 'Host of the credential'],
    [{ port: 0 }, 'Port of the credential'],
    [{ port: 'redis' }, 'Port of the credential'],
    [{ database: -1 }, 'Database of the credential'],
    [{ clusterNodes: 'redis-0' }, 'Cluster Nodes of the credential'],
    [{ clusterNodes: 'a:1, b:70000' }, 'Cluster Nodes of the credential'],
    [{ clusterNodes: ':geheim@redis:6379' }, 'Cluster Nodes of the credential'],
    [{ tls: true, ca: 'geheim' }, 'CA Certificate of the credential'],
    [{ tls: true, serverName: 'https://geheim@redis' }, 'Server Name of the credential'],
    [{ prefix: ' ' }, 'Prefix of the credential'],
    [{ queue: '' }, 'Queue of the credential'],
  ])('%j is refused, without the password in the message', (fields, parameter) => {
    let error: unknown;
    try {
      readAddress(credential(fields));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ParameterError);
    expect((error as ParameterError).parameter).toMatch(new RegExp(`^${parameter}`));
    expect((error as ParameterError).message).not.toContain('geheim');
  });
});

describe('parameters', () => {
  const defaults = Object.fromEntries(
    new BullQueue().description.properties.map(({ name, default: value }) => [name, value]),
  );

  test.each([
    [{ operation: 'flush' }, 'Operation'],
    [{ operation: 'stats', window: 60_001 }, 'Window'],
    [{ operation: 'jobs', state: 'stuck' }, 'State'],
    [{ operation: 'jobs', limit: 0 }, 'Limit'],
    [{ operation: 'jobs', limit: 1001 }, 'Limit'],
    [{ operation: 'jobs', offset: -1 }, 'Offset'],
    [{ operation: 'job', by: 'name' }, 'By'],
    [{ operation: 'job', by: 'jobId', id: '' }, 'ID'],
    [{ operation: 'job', by: 'jobId', id: '1:lock' }, 'ID'],
    [{ operation: 'job', by: 'executionId', id: 'a b' }, 'ID'],
    [{ operation: 'breakdown', maxJobs: 10_001 }, 'Max Jobs'],
    [{ operation: 'stats', queue: 'bull:jobs' }, 'Queue'],
    [{ operation: 'stats', queue: { mode: 'name', value: 'a queue' } }, 'Queue'],
    [{ operation: 'reconcile', graceTime: 61 }, 'Grace Time'],
    [{ operation: 'waitUntilDrained', waitFor: 'nothing' }, 'Wait For'],
    [{ operation: 'waitUntilDrained', ignoreWorkflows: {} }, 'Ignore Workflows'],
    [{ operation: 'waitUntilDrained', timeout: 3601 }, 'Timeout'],
    [{ operation: 'waitUntilDrained', pollInterval: 99 }, 'Poll Interval'],
  ])('%j is refused before Redis is asked', async (parameters, parameter) => {
    const execution = {
      parameters: [{ ...defaults, ...parameters }],
      credential: credential({ host: 'nowhere.invalid' }),
    };
    await expect(run(execution)).rejects.toMatchObject({
      name: 'NodeOperationError',
      context: { itemIndex: 0 },
      cause: { parameter },
    });
  });
});

describe('stats', () => {
  const counts = { waiting: 3, active: 2, delayed: 1, paused: 0, completed: 0, failed: 0, added: 6, isPaused: false };

  test('reports 0 completed jobs if no job has ended', () => {
    expect(describeCounts(counts)).toEqual({ ...counts, exists: true, finished: 0 });
  });

  test('reports null for completed and failed if ended jobs are not kept', () => {
    expect(describeCounts({ ...counts, added: 106 })).toMatchObject({
      completed: null,
      failed: null,
      finished: 100,
      note: expect.stringContaining('100 of 100'),
    });
  });

  test('counts the jobs that are kept, with a note about the others', () => {
    expect(describeCounts({ ...counts, added: 106, failed: 5 })).toMatchObject({
      completed: null,
      failed: 5,
      note: expect.stringContaining('95 of 100'),
    });
    const all = describeCounts({ ...counts, added: 106, completed: 100 });
    expect(all).toMatchObject({ completed: 100, failed: 0 });
    expect(all).not.toHaveProperty('note');
  });

  test('never reports a negative number, even if the counter of jobs was lost', () => {
    expect(describeCounts({ ...counts, added: 0 })).toMatchObject({ exists: false, finished: 0 });
  });

  test('rates: 10 added in 2 s, the backlog up by 4, so 6 finished', () => {
    const last = { ...counts, added: 16, waiting: 7 };
    expect(computeRates(counts, last, 2000)).toEqual({
      windowMs: 2000,
      waitingPerSecond: 2,
      addedPerSecond: 5,
      finishedPerSecond: 3,
    });
  });
});

test('jobs that a pause moves into its own list wait as before', () => {
  const counts = { waiting: 20, active: 0, delayed: 0, paused: 0, completed: 0, failed: 0, added: 20, isPaused: false };
  const paused = { ...counts, waiting: 0, paused: 20, isPaused: true };
  expect(computeRates(counts, paused, 1000)).toMatchObject({ waitingPerSecond: 0 });
});

describe('the estimated time to drain', () => {
  const first = { waiting: 20, active: 5, delayed: 0, paused: 0, completed: 0, failed: 0, added: 100, isPaused: false };
  const after = (waiting: number, added: number, more = {}) => ({ ...first, waiting, added, ...more });

  test.each([
    // 10 ended in 2 s and none was added, so 15 are left at 5/s.
    [after(10, 100), { backlog: 15, finishedJobs: 10, seconds: 3, secondsWithoutNewJobs: 3 }],
    // 10 ended and 5 were added, so 20 are left and the backlog shrinks by 2.5/s.
    [after(15, 105), { backlog: 20, finishedJobs: 10, seconds: 8, secondsWithoutNewJobs: 4 }],
    [after(20, 110), { seconds: null, reason: 'not-shrinking', secondsWithoutNewJobs: 5 }],
    [after(40, 130), { seconds: null, reason: 'not-shrinking', secondsWithoutNewJobs: 9 }],
    [after(20, 100), { seconds: null, reason: 'nothing-finished', secondsWithoutNewJobs: null }],
    [after(0, 100, { paused: 10, isPaused: true }), { seconds: null, reason: 'paused', secondsWithoutNewJobs: null }],
    [after(0, 100, { active: 0 }), { backlog: 0, seconds: 0, secondsWithoutNewJobs: 0 }],
    [after(0, 100, { paused: 25, isPaused: true, active: 0 }), { backlog: 25, reason: 'paused' }],
    // Delayed jobs do not count.
    [after(0, 103, { active: 0, delayed: 3 }), { backlog: 0, seconds: 0 }],
  ])('%j', (last, expected) => {
    expect(estimateDrain(first, last, 2000)).toMatchObject(expected);
  });

  test('the job of the execution that runs the node does not count as backlog', () => {
    const idle = { ...first, waiting: 0, active: 1 };
    expect(estimateDrain(idle, idle, 2000, 1)).toMatchObject({ backlog: 0, seconds: 0 });
  });
});

describe('the lock of an active job', () => {
  test.each([
    [59_000, 0, { held: true, leftMs: 59_000, stalled: false }],
    // Marked by a check and renewed later, which removes the mark.
    [1, 1, { held: true, leftMs: 1, stalled: false }],
    [-2, 0, { held: false, leftMs: null, stalled: false }],
    [-2, 1, { held: false, leftMs: null, stalled: true }],
    [-1, 0, { held: true, leftMs: null, stalled: false }],
  ])('PTTL %d, marked %d', (pttl, marked, expected) => {
    expect(parseLock(pttl, marked)).toEqual(expected);
  });
});

test('jobs are grouped by workflow, the most jobs first, with the oldest waiting job; jobs without a workflow form a group', () => {
  const job = (state: 'active' | 'waiting' | 'paused' | 'delayed', workflowId: unknown, timestamp = 0) => ({
    ...{ state, data: { workflowId }, timestamp },
  });
  const jobs = [job('active', 'a'), job('waiting', 'b', 7), job('paused', 'b', 5), job('delayed', 'b', 1)];
  expect(countByWorkflow([...jobs, { state: 'waiting', data: 'text', timestamp: 3 }, job('waiting', {}, 2)])).toEqual([
    { workflowId: 'b', active: 0, waiting: 2, delayed: 1, oldestWaiting: 5 },
    { workflowId: null, active: 0, waiting: 2, delayed: 0, oldestWaiting: 2 },
    { workflowId: 'a', active: 1, waiting: 0, delayed: 0 },
  ]);
});

test.each([
  [undefined, undefined],
  ['', undefined],
  [{ __rl: true, mode: 'list', value: '' }, undefined],
  [{ __rl: true, mode: 'list', value: null }, undefined],
  [{ __rl: true, mode: 'list', value: 'jobs-pool' }, 'jobs-pool'],
  ['jobs', 'jobs'],
])('the parameter Queue %j is %j', (parameter, expected) => {
  expect(readQueue(parameter)).toBe(expected);
});

describe('workers', () => {
  const list = [
    'id=3 addr=127.0.0.1:50000 laddr=127.0.0.1:6379 name=bull:am9icw== age=12 idle=3 flags=b db=0 cmd=brpoplpush',
    'id=4 addr=127.0.0.1:50001 name= age=12 idle=3 flags=N',
    'id=5 addr=127.0.0.1:50002 name=bull:am9icw==x age=1 idle=1',
    'id=6 addr=[::1]:50003 name=bull:am9icw==:w:reports age=1 idle=0',
    '',
  ].join('\n');

  test('are the clients with the name of the queue, or of one of its BullMQ workers', () => {
    expect(parseWorkers(list, 'bull:am9icw==')).toEqual([
      { name: 'bull:am9icw==', address: '127.0.0.1:50000', connectedSeconds: 12, idleSeconds: 3 },
      { name: 'bull:am9icw==:w:reports', address: '[::1]:50003', connectedSeconds: 1, idleSeconds: 0 },
    ]);
  });
});

describe('problems', () => {
  const address = { ...readAddress(credential()), password: 'geheim' };

  test('the message holds no password, even if the answer of Redis does', () => {
    const said = (password: string, echoed: string) =>
      toQueueProblem(new Error(`ERR unknown command 'AUTH', with args beginning with: '${echoed}`), {
        ...address,
        password,
      });
    expect(said('geheim', "geheim'")).toMatchObject({ code: 'other', message: expect.stringContaining("'AUTH'") });
    expect(said('geheim', "geheim'").message).not.toContain('geheim');
    // Redis cuts what it repeats after 128 characters.
    const long = 'ab'.repeat(100);
    expect(said(long, long.slice(0, 128)).message).not.toContain('ab');
  });

  test('the message does not hold job data', () => {
    let error: unknown;
    try {
      JSON.parse('private letter');
    } catch (thrown) {
      error = thrown;
    }
    expect(toQueueProblem(error, address)).toMatchObject({
      code: 'job-data',
      message: expect.not.stringContaining('private'),
    });
  });

  test('a long list of queues is cut', () => {
    expect(listNames(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe('a, b, c, d, e and 2 more');
  });
});
