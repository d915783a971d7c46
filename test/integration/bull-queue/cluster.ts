import Bull from 'bull';
import getPort from 'get-port';
import { Cluster, Redis } from 'ioredis';
import type { IDataObject } from 'n8n-workflow';
import { startCluster } from '../../nodes/queue/servers.js';
import {
  cleanUpAtEnd,
  drainParameters,
  runForFailure,
  jobsParameters,
  runForJson,
  sleep,
  STATS,
  WORKERS,
} from './support.js';

/** A Redis Cluster. */
export function testCluster(): void {
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  let fields: IDataObject;
  const nodes = () => cluster.ports.map((port) => ({ host: '127.0.0.1', port }));
  // n8n creates its clients in the same way.
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

  test('all operations work with the prefix {bull} of n8n, over all nodes of the cluster', async () => {
    expect(await runForJson(fields, STATS)).toEqual([expect.objectContaining({ queue: '{bull}:jobs', exists: false })]);

    const clients: Cluster[] = [];
    const queue = new Bull('jobs', {
      prefix: '{bull}',
      createClient: () => {
        const client = createClient();
        clients.push(client);
        return client;
      },
    });
    cleanUpAtEnd(clients, (all) => all.forEach((client) => client.disconnect()));
    let letGo: () => void = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    void queue.process('job', 1, () => held);
    for (const executionId of ['1', '2', '3'])
      await queue.add('job', { executionId }, { removeOnComplete: true, priority: 50 });
    while ((await queue.getActiveCount()) < 1) await sleep(10);

    const before = await connected();
    const [stats] = await runForJson(fields, { ...STATS, window: 100 });
    expect(stats).toMatchObject({ waiting: 2, active: 1, added: 3, finished: 0, isPaused: false });
    expect(stats.oldestWaitingAgeMs).toBeGreaterThan(0);
    expect(await runForJson(fields, jobsParameters('waiting'))).toEqual([
      expect.objectContaining({ executionId: '2' }),
      expect.objectContaining({ executionId: '3' }),
    ]);
    expect(await runForJson(fields, WORKERS)).toEqual([
      {
        ...{ name: '{bull}:am9icw==', address: expect.any(String), node: expect.stringMatching(/^127\.0\.0\.1:\d+$/) },
        ...{ connectedSeconds: expect.any(Number), idleSeconds: expect.any(Number) },
      },
    ]);
    expect(await runForJson({ ...fields, prefix: 'b' }, STATS)).toEqual([
      expect.objectContaining({ warning: expect.stringContaining('{bull}:jobs') }),
    ]);
    expect(await runForJson(fields, { operation: 'queues', allPrefixes: false })).toEqual([
      expect.objectContaining({ queue: '{bull}:jobs', name: 'jobs', waiting: 2, active: 1 }),
    ]);
    expect(await runForJson(fields, { operation: 'job', by: 'executionId', id: '1' })).toEqual([
      expect.objectContaining({ state: 'active', lock: expect.objectContaining({ held: true }) }),
    ]);
    expect(await runForJson(fields, { operation: 'breakdown', maxJobs: 10 })).toEqual([
      expect.objectContaining({ read: 3, byPriority: [{ priority: 50, waiting: 2 }] }),
    ]);
    expect(await runForJson(fields, { operation: 'reconcile', graceTime: 0, manualHaveJobs: false })).toEqual([
      expect.objectContaining({ queues: ['{bull}:jobs'], jobs: 3, complete: true }),
    ]);
    expect(await runForJson(fields, jobsParameters('active'))).toEqual([
      expect.objectContaining({ lock: expect.objectContaining({ held: true }) }),
    ]);
    const allowed = { ...fields, allowChanges: true };
    expect(await runForJson(allowed, { operation: 'pause' })).toEqual([
      expect.objectContaining({ isPaused: true, paused: 2 }),
    ]);
    expect(await runForJson(allowed, { operation: 'resume' })).toEqual([
      expect.objectContaining({ isPaused: false, waiting: 2 }),
    ]);
    setTimeout(() => letGo(), 200);
    expect(await runForJson(fields, drainParameters(10))).toEqual([expect.objectContaining({ drained: true })]);
    await sleep(200);
    expect(await connected()).toBe(before);
    await queue.close(true);
  }, 20_000);

  test('the node finds the cluster from one node, and tolerates one that is down', async () => {
    const [first] = nodes();
    const clusterNodes = `127.0.0.1:${await getPort()}, ${first!.host}:${first!.port}`;
    expect(await runForJson({ clusterNodes }, STATS)).toEqual([expect.objectContaining({ queue: '{bull}:jobs' })]);
  });

  test('a cluster addressed as a single server is reported by a node that does not hold the queue', async () => {
    const failures = await Promise.all(cluster.ports.map((port) => runForFailure({ port, prefix: '{bull}' })));
    const moved = failures.filter(({ code }) => code === 'cluster');
    expect(moved).toHaveLength(2);
    expect(moved[0]?.message).toContain('{bull}');
    const inDatabase = await runForFailure({ port: cluster.ports[0], database: 1 });
    expect(['cluster', 'database']).toContain(inDatabase.code);
  });
}
