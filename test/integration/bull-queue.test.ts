import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Bull from 'bull';
import getPort from 'get-port';
import { Cluster, Redis } from 'ioredis';
import type { IDataObject } from 'n8n-workflow';
import { QueueWatch } from '../../capacity/src/observe/queue.js';
import { BullQueue } from '../../nodes/BullQueue/BullQueue.node.js';
import { credential, run, type FakeExecution } from '../nodes/queue/execution.js';
import { makeCertificates, startCluster, startRedis, startServer, type Server } from '../nodes/queue/servers.js';

/** The node against real Redis, with jobs that Bull itself added and processed. */

const STATS = { operation: 'stats', window: 0 };
const jobsOf = (state: string, more: IDataObject = {}) => ({
  ...{ operation: 'jobs', state, limit: 50, offset: 0, includeData: false },
  ...more,
});
const WORKERS = { operation: 'workers' };
const drained = (timeout: number, more: IDataObject = {}) => ({
  ...{ operation: 'waitUntilDrained', waitFor: 'everything', ignoreWorkflows: '', timeout, pollInterval: 100 },
  ...more,
});
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls at the end of a test what was handed to it, last first. */
const endings: Array<() => unknown> = [];
afterEach(async () => {
  while (endings.length > 0) await endings.pop()!();
});
const atEnd = <Thing>(thing: Thing, end: (thing: Thing) => unknown): Thing => {
  endings.push(() => end(thing));
  return thing;
};

async function jsonOf(fields: IDataObject, parameters: IDataObject, more: Partial<FakeExecution> = {}): Promise<any[]> {
  const items = await run({ parameters: [parameters], credential: credential(fields), ...more });
  return items.map(({ json }) => json);
}

/** The error of a run that must fail: its cause's code or parameter, all that it holds as text, and how long it took. */
async function failureOf(
  fields: IDataObject,
  parameters: IDataObject = STATS,
): Promise<{ code?: string; parameter?: string; message: string }> {
  return jsonOf(fields, parameters).then(
    (json) => ({ message: `no error, but ${JSON.stringify(json)}` }),
    (error: Error) => {
      const { code, parameter } = error.cause as { code?: string; parameter?: string };
      return { code, parameter, message: `${error.message} ${JSON.stringify(error)}` };
    },
  );
}

describe('one server', () => {
  let server: Server;
  let redis: Redis;
  let fields: IDataObject;

  beforeAll(async () => {
    // Kept as lists, hashes are dumped in the order of their fields, whatever Redis tidies up in between.
    server = await startRedis(['--hash-max-listpack-value', '4096']);
    redis = new Redis(server.port);
    fields = { port: server.port };
  });
  beforeEach(() => redis.flushall());
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  const newQueue = (name = 'jobs', prefix = 'bull') =>
    atEnd(new Bull(name, { prefix, redis: { port: server.port } }), (queue) => queue.close(true));
  /** As n8n adds a job. */
  const add = (queue: Bull.Queue, executionId: string, options: Bull.JobOptions & { timestamp?: number } = {}) =>
    queue.add('job', { executionId, workflowId: 'w1', loadStaticData: false }, { removeOnComplete: true, ...options });
  const clients = async () =>
    String(await redis.client('LIST'))
      .trim()
      .split('\n').length;

  /** Jobs in every state: 3 waiting, 1 active, 1 delayed, 2 completed of which one is kept, 1 failed and kept. */
  async function fill() {
    const queue = newQueue();
    let letGo: () => void = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    // Registered after the queue, so called before it is closed.
    atEnd(letGo, () => letGo());
    void queue.process('job', 1, async ({ data }) => {
      if (data.executionId === 'fails') throw new Error('broken');
      if (data.executionId === 'runs') await held;
      return { success: true };
    });
    await (await add(queue, 'removed')).finished();
    await (await add(queue, 'kept', { removeOnComplete: false })).finished();
    await (await add(queue, 'fails')).finished().catch(() => {});
    await add(queue, 'runs');
    while ((await queue.getActiveCount()) < 1) await sleep(10);
    await add(queue, 'later', { delay: 60_000 });
    await add(queue, 'third', { priority: 100, timestamp: Date.now() - 30_000 });
    await add(queue, 'first', { priority: 50, timestamp: Date.now() - 10_000 });
    await add(queue, 'second', { priority: 50 });
    return { queue, letGo };
  }

  test('stats: every state, and the age of the oldest although a more urgent one is next', async () => {
    await fill();
    const [stats] = await jsonOf(fields, STATS);
    expect(stats).toEqual({
      ...{ queue: 'bull:jobs', exists: true, isPaused: false },
      ...{ waiting: 3, active: 1, delayed: 1, paused: 0, completed: 1, failed: 1, added: 8, finished: 3 },
      note: expect.stringContaining('1 of 3'),
      oldestWaitingAgeMs: expect.any(Number),
    });
    expect(stats.oldestWaitingAgeMs).toBeGreaterThanOrEqual(30_000);
    expect(stats.oldestWaitingAgeMs).toBeLessThan(35_000);
  });

  test('stats: completed and failed are null when Bull has removed them', async () => {
    const queue = newQueue();
    void queue.process('job', () => Promise.resolve());
    await (await add(queue, '1')).finished();
    const [stats] = await jsonOf(fields, STATS);
    expect(stats).toMatchObject({ completed: null, failed: null, finished: 1, oldestWaitingAgeMs: null });
  });

  test('stats: a paused queue', async () => {
    const queue = newQueue();
    await queue.pause();
    await add(queue, '1', { timestamp: Date.now() - 5000 });
    const [stats] = await jsonOf(fields, STATS);
    expect(stats).toMatchObject({ isPaused: true, waiting: 0, paused: 1 });
    expect(stats.oldestWaitingAgeMs).toBeGreaterThanOrEqual(5000);
    expect(await jsonOf(fields, jobsOf('paused'))).toEqual([expect.objectContaining({ executionId: '1' })]);
  });

  test('stats: rates over a window', async () => {
    const queue = newQueue();
    await add(queue, '0');
    const watching = jsonOf(fields, { ...STATS, window: 1000 });
    await sleep(300);
    for (let i = 1; i <= 5; i++) await add(queue, `${i}`);
    const [{ rates, waiting }] = await watching;
    expect(waiting).toBe(6);
    expect(rates.windowMs).toBeGreaterThanOrEqual(1000);
    expect(rates.addedPerSecond).toBeCloseTo(5_000 / rates.windowMs, 1);
    expect(rates).toMatchObject({ finishedPerSecond: 0, waitingPerSecond: rates.addedPerSecond });
  });

  test('jobs: every state in its order, and their data only when asked for', async () => {
    await fill();
    const ids = async (state: string, more = {}) =>
      (await jsonOf(fields, jobsOf(state, more))).map(({ executionId }) => executionId);
    expect(await ids('waiting')).toEqual(['first', 'second', 'third']);
    expect(await ids('waiting', { limit: 1, offset: 1 })).toEqual(['second']);
    expect(await ids('waiting', { offset: 3 })).toEqual([]);
    expect(await ids('active')).toEqual(['runs']);
    expect(await ids('delayed')).toEqual(['later']);
    expect(await ids('paused')).toEqual([]);
    expect(await ids('completed')).toEqual(['kept']);
    const [failed] = await jsonOf(fields, jobsOf('failed'));
    expect(failed).toEqual({
      ...{ jobId: '3', state: 'failed', executionId: 'fails', workflowId: 'w1', attempts: 1, failedReason: 'broken' },
      ...{ timestamp: expect.any(Number), ageMs: expect.any(Number) },
      ...{ processedOn: expect.any(Number), finishedOn: expect.any(Number) },
    });
    const [kept] = await jsonOf(fields, jobsOf('completed', { includeData: true }));
    expect(kept).toMatchObject({ data: { executionId: 'kept', loadStaticData: false }, result: { success: true } });
  });

  test('jobs of somebody else have no execution', async () => {
    await newQueue().add('job', 'text');
    expect(await jsonOf(fields, jobsOf('waiting'))).toEqual([
      expect.objectContaining({ jobId: '1', executionId: null, workflowId: null }),
    ]);
  });

  test('workers: one a process that takes jobs, none for those that add or watch them', async () => {
    const [adding, one, two] = [newQueue(), newQueue(), newQueue()];
    await add(adding, '1', { delay: 60_000 });
    expect(await jsonOf(fields, WORKERS)).toEqual([]);
    void one.process('job', 5, () => Promise.resolve());
    void two.process('job', 5, () => Promise.resolve());
    await sleep(300);
    const workers = await jsonOf(fields, WORKERS);
    expect(workers).toHaveLength(2);
    expect(workers[0]).toEqual({
      name: 'bull:am9icw==',
      address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      ...{ connectedSeconds: expect.any(Number), idleSeconds: expect.any(Number) },
    });
    expect(new Set(workers.map(({ address }) => address)).size).toBe(2);
  });

  describe('wait until drained', () => {
    test('drained: says how long it took and how much there was', async () => {
      const { queue, letGo } = await fill();
      await queue.removeJobs('5'); // the delayed one
      setTimeout(letGo, 400);
      const [outcome] = await jsonOf(fields, drained(10));
      expect(outcome).toEqual({
        ...{ queue: 'bull:jobs', drained: true, waitedMs: expect.any(Number) },
        last: { waiting: 0, active: 0, delayed: 0, paused: 0 },
        peak: { waiting: 3, active: 1, delayed: 0, paused: 0 },
      });
      expect(outcome.waitedMs).toBeGreaterThanOrEqual(300);
      expect(outcome.waitedMs).toBeLessThan(3000);
    });

    test('a timeout is an outcome; a delayed job is a job', async () => {
      await add(newQueue(), '1', { delay: 60_000 });
      const [outcome] = await jsonOf(fields, drained(0.3));
      expect(outcome).toMatchObject({ drained: false, last: { waiting: 0, delayed: 1 } });
      expect(outcome.waitedMs).toBeGreaterThanOrEqual(300);
      expect(outcome.waitedMs).toBeLessThan(1500);
      expect(await jsonOf(fields, drained(0))).toEqual([expect.objectContaining({ drained: false })]);
    });

    test('an empty queue is drained at once', async () => {
      expect(await jsonOf(fields, drained(10))).toEqual([expect.objectContaining({ drained: true })]);
    });

    test('the execution that waits does not wait for itself', async () => {
      const { queue } = await fill();
      for (const id of ['5', '6', '7', '8']) await queue.removeJobs(id);
      const own = { executionId: 'runs', workflowId: 'w1' };
      expect(await jsonOf(fields, drained(0.2), own)).toEqual([expect.objectContaining({ drained: true })]);
      const others = { executionId: 'runs', workflowId: 'w2' };
      expect(await jsonOf(fields, drained(0.2), others)).toEqual([expect.objectContaining({ drained: false })]);
    });

    test('waits only for what it is told to wait for', async () => {
      const { queue, letGo } = await fill();
      const isDrained = async (waitFor: string) => (await jsonOf(fields, drained(0, { waitFor })))[0].drained;
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

    test('a drain in a sub-workflow, and two drains, can leave each other out; other jobs and waiting ones count', async () => {
      const { queue } = await fill();
      const own = { executionId: '77', workflowId: 'child' };
      const look = async (ignoreWorkflows: string, waitFor = 'active') =>
        (await jsonOf(fields, drained(0, { waitFor, ignoreWorkflows }), own))[0];
      expect(await look('')).toMatchObject({ drained: false, last: { active: 1 } });
      expect(await look('w2, child')).toMatchObject({ drained: false, last: { active: 1 } });
      expect(await look('w2, w1')).toMatchObject({ drained: true, last: { active: 0, waiting: 3 } });
      expect(await look('w1', 'activeAndWaiting')).toMatchObject({ drained: false, last: { waiting: 3 } });
      void queue.process('other', 1, () => sleep(500));
      await queue.add('other', { executionId: '9', workflowId: 'w3' }, { priority: 1 });
      while ((await queue.getActiveCount()) < 2) await sleep(10);
      expect(await look('w1')).toMatchObject({ drained: false, last: { active: 1 } });
    });

    test('stops when the execution is stopped, and leaves no connection', async () => {
      await add(newQueue(), '1');
      const before = await clients();
      const execution = new AbortController();
      setTimeout(() => execution.abort(), 300);
      const start = performance.now();
      expect(await jsonOf(fields, drained(60), { signal: execution.signal })).toEqual([]);
      expect(performance.now() - start).toBeLessThan(1500);
      await sleep(100);
      expect(await clients()).toBe(before);
    });
  });

  test('items: each with its operation and credential, one connection for the same credential, all closed', async () => {
    await add(newQueue(), '1');
    const before = await clients();
    const connections = async () => Number(/total_connections_received:(\d+)/.exec(await redis.info('stats'))?.[1]);
    const connected = await connections();
    const items = await run({
      parameters: [STATS, jobsOf('waiting'), { operation: 'nothing' }, WORKERS, STATS],
      credential: (i) => credential(i === 4 ? { ...fields, queue: 'other' } : fields),
      continueOnFail: true,
    });
    expect(items.map(({ json, pairedItem }) => [Object.keys(json)[0], pairedItem])).toEqual([
      ['queue', { item: 0 }],
      ['jobId', { item: 1 }],
      ['error', { item: 2 }],
      ['queue', { item: 4 }],
    ]);
    expect((await connections()) - connected).toBe(2);
    await sleep(100);
    expect(await clients()).toBe(before);
  });

  test('nothing in Redis changes, and no command that writes is sent', async () => {
    const { queue } = await fill();
    await queue.close(true); // a worker at work would write
    endings.splice(0);
    const dump = async () => {
      const keys = (await redis.keys('*')).filter((key) => !key.endsWith(':lock')).sort();
      return Promise.all(
        keys.map(async (key) => [key, (await redis.dumpBuffer(key))?.toString('hex'), (await redis.ttl(key)) > 0]),
      );
    };
    const before = await dump();
    expect(before.length).toBeGreaterThan(8);
    const sent = new Set<string>();
    const monitor = await redis.monitor();
    monitor.on('monitor', (_time: string, [command = '']: string[], _source: string) =>
      sent.add(command.toLowerCase()),
    );
    const own = { executionId: 'runs', workflowId: 'w1' };
    for (const parameters of [
      ...[STATS, { ...STATS, window: 10 }, WORKERS, drained(0.2)],
      ...['waiting', 'active', 'delayed', 'paused', 'completed', 'failed'].map((state) => jobsOf(state)),
    ]) {
      await jsonOf(fields, parameters, own);
    }
    await new BullQueue().methods.credentialTest.bullQueueApiTest.call({} as never, {
      ...{ id: '1', name: 'queue', type: 'bullQueueApi' },
      data: credential(fields) as never,
    });
    await failureOf({ ...fields, prefix: 'wrong' });
    await sleep(100);
    monitor.disconnect();

    const infos = (await redis.command('INFO', ...[...sent])) as Array<[string, number, string[]] | null>;
    const commands = infos.filter((info) => info !== null).map(([name, , flags]) => ({ name, flags }));
    expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['multi', 'llen', 'hgetall', 'scan']));
    expect(commands.filter(({ flags }) => flags.includes('write'))).toEqual([]);
    expect(commands.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['eval']));
    expect(commands.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['evalsha']));
    expect(await dump()).toEqual(before);
  });

  describe('prefix and queue', () => {
    test('a wrong prefix is an error that names the right one', async () => {
      await add(newQueue('jobs', 'n8n-a'), '1');
      expect(await failureOf(fields)).toMatchObject({
        code: 'prefix',
        message: expect.stringContaining('n8n-a:jobs'),
      });
      expect(await jsonOf({ ...fields, prefix: 'n8n-a' }, STATS)).toEqual([expect.objectContaining({ waiting: 1 })]);
    });

    test('a queue that never had a job is empty', async () => {
      await add(newQueue(), '1');
      const [stats] = await jsonOf({ ...fields, queue: 'jobs-pool' }, STATS);
      expect(stats).toMatchObject({ queue: 'bull:jobs-pool', exists: false, waiting: 0, finished: 0 });
    });

    test('the credential test says what there is', async () => {
      const test = (more: IDataObject) =>
        new BullQueue().methods.credentialTest.bullQueueApiTest.call({} as never, {
          ...{ id: '1', name: 'queue', type: 'bullQueueApi' },
          data: credential({ ...fields, ...more }) as never,
        });
      const at = `Redis at localhost:${server.port}`;
      expect(await test({})).toEqual({
        status: 'OK',
        message: `bull:jobs in ${at} never had a job. There is no other queue.`,
      });
      await add(newQueue(), '1');
      expect(await test({})).toEqual({ status: 'OK', message: `bull:jobs in ${at}: 1 waiting, 0 active` });
      expect(await test({ queue: 'job' })).toEqual({
        status: 'Error',
        message: `bull:job in ${at} never had a job. Queues there: bull:jobs.`,
      });
      expect(await test({ prefix: 'b' })).toMatchObject({
        status: 'Error',
        message: expect.stringContaining('bull:jobs'),
      });
      expect(await test({ port: -1 })).toMatchObject({ status: 'Error', message: expect.stringContaining('Port') });
    });

    test('looking for other queues is bounded', async () => {
      const pipeline = redis.pipeline();
      for (let i = 0; i < 200_000; i += 100) {
        pipeline.mset(Object.fromEntries(Array.from({ length: 100 }, (_, k) => [`filler:${i + k}`, 1])));
      }
      await pipeline.exec();
      const start = performance.now();
      const [stats] = await jsonOf(fields, STATS);
      expect(stats.exists).toBe(false);
      expect(performance.now() - start).toBeLessThan(3000);
    });
  });

  describe('users', () => {
    const reader = { user: 'reader', password: 'lesen' };

    test('one that may only read is enough', async () => {
      await fill();
      const rights = ['~bull:*', '+@read', '+@connection', '+@transaction', '+client|list'];
      await redis.acl('SETUSER', 'reader', 'reset', 'on', '>lesen', ...rights);
      for (const parameters of [STATS, jobsOf('active'), WORKERS, drained(0)]) {
        await jsonOf({ ...fields, ...reader }, parameters);
      }
    });

    test.each([
      ['+@connection', 'EXISTS'],
      ['+@read +@connection', 'multi'],
      ['+@read +@connection +@transaction -llen', 'llen'],
    ])('one with %s is told what it lacks', async (rights) => {
      await add(newQueue(), '1');
      await redis.acl('SETUSER', 'reader', 'reset', 'on', '>lesen', '~bull:*', ...rights.split(' '));
      const { code, message } = await failureOf({ ...fields, ...reader });
      expect(code).toBe('permission');
      expect(message).toContain('+@read +@connection +@transaction');
    });

    test('one that may not see other keys', async () => {
      await add(newQueue(), '1');
      await redis.acl('SETUSER', 'reader', 'reset', 'on', '>lesen', '~other:*', '+@all');
      expect((await failureOf({ ...fields, ...reader })).code).toBe('permission');
    });
  });

  test('a connection that is lost on the way is an error at once', async () => {
    const own = await startRedis();
    const queue = new Bull('jobs', { redis: { port: own.port } });
    queue.on('error', () => {});
    await add(queue, '1');
    await queue.close(true);
    const waiting = failureOf({ port: own.port }, drained(60));
    await sleep(500);
    await own.stop();
    const { code, message } = await waiting;
    expect(code).toBe('lost');
    expect(message).toContain(`localhost:${own.port}`);
  });

  test('n8n-capacity: a lost Redis is a look without an answer, and looks go on when it is back', async () => {
    const port = await getPort();
    const watch = atEnd(new QueueWatch({ host: '127.0.0.1', port }), (it) => it.close());
    expect(await watch.look()).toBeUndefined();
    const looked = (waiting: number) => ({ waiting, active: 0, commands: expect.any(Number) });
    const own = atEnd(await startRedis([], port), (it) => it.stop());
    expect(await watch.look()).toEqual(looked(0));
    const queue = new Bull('jobs', { redis: { port } });
    await add(queue, '1');
    await queue.close(true);
    expect(await watch.look()).toEqual(looked(1));
    await own.stop();
    expect(await watch.look()).toBeUndefined();
    atEnd(await startRedis([], port), (it) => it.stop());
    expect(await watch.look()).toEqual(looked(0));
    const quiet = atEnd(await startServer(), (it) => it.stop());
    const start = performance.now();
    expect(await new QueueWatch({ host: '127.0.0.1', port: quiet.port }).look()).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe('what cannot be read is said within 5 s, and no password with it', () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis(['--requirepass', 'richtig'])));
  afterAll(() => server.stop());

  const password = 'geheim';
  const refused = async (fields: IDataObject, code: string, part = '') => {
    const failure = await failureOf(fields);
    expect(failure.code).toBe(code);
    expect(failure.message).toContain(part);
    expect(failure.message).not.toMatch(/geheim|richtig/);
  };

  test('nobody listens', async () => {
    const port = await getPort();
    await refused({ port, password }, 'refused', `Redis at localhost:${port}`);
    await refused({ clusterNodes: `127.0.0.1:${port}`, password }, 'refused', `Redis at 127.0.0.1:${port}`);
  });

  test('no such host', async () => {
    await refused({ host: 'redis.invalid', password }, 'not-found', 'redis.invalid:6379');
    await refused({ clusterNodes: 'redis.invalid:6379', password }, 'not-found', 'redis.invalid:6379');
  });

  test('a server that never answers', async () => {
    const { port } = atEnd(await startServer(), (it) => it.stop());
    await refused({ port }, 'timeout');
    await refused({ port, password, tls: true }, 'timeout');
    await refused({ clusterNodes: `127.0.0.1:${port}`, password }, 'timeout');
  }, 20_000);

  test('a server that falls silent after it was connected', async () => {
    const text = (request: string) => (/get|multi|exec|llen/.test(request) ? undefined : ':1\r\n'.repeat(9));
    const { port } = atEnd(await startServer(text), (it) => it.stop());
    await refused({ port }, 'timeout');
  }, 10_000);

  test('a server that is no Redis', async () => {
    const http = atEnd(await startServer(() => 'HTTP/1.1 400 Bad Request\r\n\r\n'), (it) => it.stop());
    await refused({ port: http.port, password }, 'no-redis');
  });

  test('a server that repeats the password', async () => {
    const answer = () => `-ERR unknown command 'auth', with args beginning with: '${password}'\r\n`;
    const { port } = atEnd(await startServer(answer), (it) => it.stop());
    await refused({ port, password }, 'other', "with args beginning with: '***'");
  });

  test('user and password', async () => {
    const { port } = server;
    await refused({ port }, 'authentication');
    await refused({ port, password }, 'authentication');
    await refused({ port, user: 'nobody', password: 'richtig' }, 'authentication');
    await refused({ clusterNodes: `127.0.0.1:${port}`, password }, 'authentication');
    expect(await jsonOf({ port, password: 'richtig' }, STATS)).toHaveLength(1);
  });

  test('database', async () => {
    const at = `Redis at localhost:${server.port} (database 99)`;
    await refused({ port: server.port, password: 'richtig', database: 99 }, 'database', at);
    expect(await jsonOf({ port: server.port, password: 'richtig', database: 9 }, STATS)).toHaveLength(1);
  });

  test('no cluster', async () => {
    await refused({ clusterNodes: `127.0.0.1:${server.port}`, password: 'richtig' }, 'single-server');
  });

  test('many items of a server that does not answer take no longer than one', async () => {
    const { port } = atEnd(await startServer(), (it) => it.stop());
    const start = performance.now();
    const items = await run({
      parameters: Array.from({ length: 20 }, () => STATS),
      credential: credential({ port }),
      continueOnFail: true,
    });
    expect(items).toHaveLength(20);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

describe('TLS', () => {
  let folder: string;
  let server: Server;
  let plain: Server;
  let ca: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-tls-'));
    const files = makeCertificates(folder);
    ca = readFileSync(files.ca, 'utf8');
    const port = await getPort();
    const certificate = ['--tls-cert-file', files.cert, '--tls-key-file', files.key, '--tls-ca-cert-file', files.ca];
    server = await startRedis(
      ['--port', '0', '--tls-port', `${port}`, '--tls-auth-clients', 'no', ...certificate],
      port,
    );
    plain = await startRedis();
  });
  afterAll(async () => {
    await Promise.all([server.stop(), plain.stop()]);
    rmSync(folder, { recursive: true });
  });

  test('with the CA certificate', async () => {
    const { port } = server;
    expect(await jsonOf({ port, tls: true, ca }, STATS)).toEqual([expect.objectContaining({ exists: false })]);
    expect(await jsonOf({ host: '127.0.0.1', port, tls: true, ca }, STATS)).toHaveLength(1);
    expect(await jsonOf({ port, tls: true, ca, serverName: 'localhost' }, STATS)).toHaveLength(1);
    expect(await failureOf({ port, tls: true, ca, serverName: 'redis.example.com' })).toMatchObject({
      code: 'certificate',
    });
  });

  test.each([
    ['no CA certificate', () => ({ tls: true }), { code: 'certificate' }],
    [
      'no PEM',
      () => ({ tls: true, ca: '-----BEGIN CERTIFICATE-----\nnope\n-----END CERTIFICATE-----' }),
      { parameter: 'CA Certificate of the credential' },
    ],
    ['no TLS', () => ({}), { message: expect.stringContaining('switch TLS on') }],
  ])('%s', async (_, fields, expected) => {
    const failure = await failureOf({ port: server.port, ...fields() });
    expect(failure).toMatchObject(expected);
  });

  test('another CA certificate', async () => {
    const other = mkdtempSync(join(tmpdir(), 'n8n-tuned-tls-'));
    atEnd(other, (it) => rmSync(it, { recursive: true }));
    const fields = { port: server.port, tls: true, ca: readFileSync(makeCertificates(other).ca, 'utf8') };
    expect((await failureOf(fields)).code).toBe('certificate');
  });

  test('TLS with a server that speaks none', async () => {
    const failure = await failureOf({ port: plain.port, tls: true, ca });
    expect(failure.message).toContain('switch TLS off');
  }, 10_000);
});

describe('a Redis Cluster', () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  let fields: IDataObject;
  const nodes = () => cluster.ports.map((port) => ({ host: '127.0.0.1', port }));
  // As n8n makes its clients.
  const createClient = () =>
    new Cluster(nodes(), { redisOptions: { enableReadyCheck: false, maxRetriesPerRequest: null } });
  const connected = async () => {
    const counts = await Promise.all(
      nodes().map(async (node) => {
        const redis = new Redis(node);
        const list = String(await redis.client('LIST'));
        redis.disconnect();
        return list.trim().split('\n').length;
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };

  beforeAll(async () => {
    cluster = await startCluster();
    fields = {
      clusterNodes: nodes()
        .map(({ host, port }) => `${host}:${port}`)
        .join(),
    };
  }, 30_000);
  afterAll(() => cluster.stop());

  test('all operations, with the prefix that n8n makes of bull, over the nodes that there are', async () => {
    expect(await jsonOf(fields, STATS)).toEqual([expect.objectContaining({ queue: '{bull}:jobs', exists: false })]);

    const clients: Cluster[] = [];
    const queue = new Bull('jobs', {
      prefix: '{bull}',
      createClient: () => {
        const client = createClient();
        clients.push(client);
        return client;
      },
    });
    atEnd(clients, (all) => all.forEach((client) => client.disconnect()));
    let letGo: () => void = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    void queue.process('job', 1, () => held);
    for (const executionId of ['1', '2', '3'])
      await queue.add('job', { executionId }, { removeOnComplete: true, priority: 50 });
    while ((await queue.getActiveCount()) < 1) await sleep(10);

    const before = await connected();
    const [stats] = await jsonOf(fields, { ...STATS, window: 100 });
    expect(stats).toMatchObject({ waiting: 2, active: 1, added: 3, finished: 0, isPaused: false });
    expect(stats.oldestWaitingAgeMs).toBeGreaterThan(0);
    expect(await jsonOf(fields, jobsOf('waiting'))).toEqual([
      expect.objectContaining({ executionId: '2' }),
      expect.objectContaining({ executionId: '3' }),
    ]);
    expect(await jsonOf(fields, WORKERS)).toEqual([
      {
        ...{ name: '{bull}:am9icw==', address: expect.any(String), node: expect.stringMatching(/^127\.0\.0\.1:\d+$/) },
        ...{ connectedSeconds: expect.any(Number), idleSeconds: expect.any(Number) },
      },
    ]);
    expect(await failureOf({ ...fields, prefix: 'b' })).toMatchObject({
      code: 'prefix',
      message: expect.stringContaining('{bull}:jobs'),
    });
    setTimeout(() => letGo(), 200);
    expect(await jsonOf(fields, drained(10))).toEqual([expect.objectContaining({ drained: true })]);
    await sleep(200);
    expect(await connected()).toBe(before);
    await queue.close(true);
  }, 20_000);

  test('one node is enough to find the others, and one that is down does no harm', async () => {
    const [first] = nodes();
    const clusterNodes = `127.0.0.1:${await getPort()}, ${first!.host}:${first!.port}`;
    expect(await jsonOf({ clusterNodes }, STATS)).toEqual([expect.objectContaining({ queue: '{bull}:jobs' })]);
  });

  test('addressed as a single server: told by a node that does not hold the queue', async () => {
    const failures = await Promise.all(cluster.ports.map((port) => failureOf({ port, prefix: '{bull}' })));
    const moved = failures.filter(({ code }) => code === 'cluster');
    expect(moved).toHaveLength(2);
    expect(moved[0]?.message).toContain('{bull}');
    const inDatabase = await failureOf({ port: cluster.ports[0], database: 1 });
    expect(['cluster', 'database']).toContain(inDatabase.code);
  });
});
