import { BullQueue } from '../../../nodes/BullQueue/BullQueue.node.js';
import { credential, run } from '../../nodes/queue/execution.js';
import type { OneServer } from './one-server.js';
import { addJob, drainParameters, jobsParameters, runForJson, sleep, STATS, WORKERS } from './support.js';

/** Tests of items and connections, and that the reading operations change nothing in Redis. */
export function testItems(on: OneServer): void {
  test('each item has its operation and credential; items with the same credential share a connection; all are closed', async () => {
    await addJob(on.newQueue(), '1');
    const before = await on.clients();
    const connections = async () => Number(/total_connections_received:(\d+)/.exec(await on.redis.info('stats'))?.[1]);
    const connected = await connections();
    const items = await run({
      parameters: [STATS, jobsParameters('waiting'), { operation: 'nothing' }, WORKERS, STATS],
      credential: (i) => credential(i === 4 ? { ...on.fields, queue: 'other' } : on.fields),
      continueOnFail: true,
    });
    expect(items.map(({ json, pairedItem }) => [Object.keys(json)[0], pairedItem])).toEqual([
      ['queue', { item: 0 }],
      ['jobId', { item: 1 }],
      ['error', { item: 2 }],
      ['queue', { item: 3 }],
      ['queue', { item: 4 }],
    ]);
    expect((await connections()) - connected).toBe(2);
    await sleep(100);
    expect(await on.clients()).toBe(before);
  });

  test('with many queues, only the last three connections stay open', async () => {
    const before = await on.clients();
    const looks: Promise<number>[] = [];
    const queues = Array.from({ length: 8 }, (_, i) => `many-${i}`);
    await run({
      parameters: queues.map(() => STATS),
      credential: (i) => {
        looks.push(on.clients());
        return credential({ ...on.fields, queue: queues[i] });
      },
    });
    expect(Math.max(...(await Promise.all(looks))) - before).toBe(3);
    await sleep(100);
    expect(await on.clients()).toBe(before);
  });

  test('the reading operations change nothing in Redis, and send no command that writes', async () => {
    const { queue } = await on.fill();
    await queue.close(true); // a worker at work would write
    const before = await on.dump();
    expect((before as unknown[]).length).toBeGreaterThan(8);
    const sent = new Set<string>();
    const monitor = await on.redis.monitor();
    monitor.on('monitor', (_time: string, [command = '']: string[], _source: string) =>
      sent.add(command.toLowerCase()),
    );
    const own = { executionId: 'runs', workflowId: 'w1' };
    for (const parameters of [
      ...[STATS, { ...STATS, window: 10 }, WORKERS, drainParameters(0.2)],
      ...[
        { operation: 'breakdown', maxJobs: 10 },
        { operation: 'queues', allPrefixes: true },
        { operation: 'reconcile', graceTime: 0.1, manualHaveJobs: true },
      ],
      ...[
        { operation: 'job', by: 'jobId', id: '4' },
        { operation: 'job', by: 'executionId', id: 'third' },
      ],
      ...['waiting', 'active', 'delayed', 'paused', 'completed', 'failed'].map((state) => jobsParameters(state)),
    ]) {
      await runForJson(on.fields, parameters, own);
    }
    await new BullQueue().methods.credentialTest.bullQueueApiTest.call({} as never, {
      ...{ id: '1', name: 'queue', type: 'bullQueueApi' },
      data: credential(on.fields) as never,
    });
    await runForJson({ ...on.fields, prefix: 'wrong' }, STATS);
    const context = { getCredentials: () => Promise.resolve(credential(on.fields)) };
    await new BullQueue().methods.listSearch.searchQueues.call(context as never);
    await sleep(100);
    monitor.disconnect();

    const infos = (await on.redis.command('INFO', ...[...sent])) as Array<[string, number, string[]] | null>;
    const commands = infos.filter((info) => info !== null).map(([name, , flags]) => ({ name, flags }));
    expect(commands.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['multi', 'llen', 'hgetall', 'scan', 'lpos', 'pttl']),
    );
    expect(commands.filter(({ flags }) => flags.includes('write'))).toEqual([]);
    expect(commands.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['eval']));
    expect(commands.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['evalsha']));
    expect(await on.dump()).toEqual(before);
  });
}
