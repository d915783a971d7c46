import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chart } from './render.js';

interface Row {
  id: string;
  status: string;
  createdAt: number;
}
type Where = { time: number; ids?: string[] };
interface Here {
  pause: (ms: number) => Promise<void>;
  now: () => number;
  warn: (line: string) => void;
}
const { watch } = createRequire(import.meta.url)(join(chart, 'files/hooks/lost-queue.js')) as {
  watch: (
    service: object,
    n8n: { isLeader: () => boolean; isNewBefore: (time: number, ids?: string[]) => Where },
    here: Here,
  ) => Promise<void>;
};

/** A main of n8n at 1000 ms, with these rows in its database and jobs in its queue. */
function main(rows: Row[], jobs: string[], isLeader = true) {
  const keys = new Set<string>();
  const client = Object.assign(new EventEmitter(), {
    set: (key: string) => Promise.resolve(keys.add(key) && 'OK'),
    exists: (key: string) => Promise.resolve(keys.has(key) ? 1 : 0),
  });
  const crashed: string[] = [];
  const said: string[] = [];
  const afterJobs: (() => void)[] = [];
  const service = {
    queue: { client, toKey: (name: string) => `bull:jobs:${name}` },
    queueRecoveryContext: { batchSize: 10 },
    executionRepository: {
      find: ({ where: { time, ids } }: { where: Where }) =>
        Promise.resolve(
          rows
            .filter((r) => r.status === 'new' && r.createdAt < time && (!ids || ids.includes(r.id)))
            .map(({ id }) => ({ id })),
        ),
      markAsCrashed: (ids: string[]) => Promise.resolve(crashed.push(...ids)),
    },
    findJobsByStatus: () => {
      const found = jobs.map((executionId) => ({ data: { executionId } }));
      afterJobs.forEach((change) => change());
      return Promise.resolve(found);
    },
  };
  let waited = 0;
  const here = {
    pause: (ms: number) => ((waited += ms), Promise.resolve()),
    now: () => 1000,
    warn: (line: string) => void said.push(line),
  };
  const n8n = {
    isLeader: () => isLeader,
    isNewBefore: (time: number, ids?: string[]) => ({ time, ...(ids && { ids }) }),
  };
  const watching = watch(service, n8n, here);
  const reconnect = async () => {
    await watching;
    client.emit('ready');
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  return { keys, crashed, said, afterJobs, reconnect, waited: () => waited };
}

const row = (id: string, status = 'new', createdAt = 500): Row => ({ id, status, createdAt });

test('what waited in a Redis that lost its data is marked as crashed; what runs, came later or has a job is not', async () => {
  const rows = [row('lost'), row('runs', 'running'), row('later', 'new', 2000), row('queued')];
  const n8n = main(rows, ['queued']);
  await n8n.reconnect();
  expect(n8n.crashed).toEqual([]);
  n8n.keys.clear();
  await n8n.reconnect();
  expect(n8n.crashed).toEqual(['lost']);
  expect(n8n.waited()).toBeGreaterThan(10_000);
  expect(n8n.said).toEqual([expect.stringContaining('1 executions')]);
});

test('once for a loss', async () => {
  const n8n = main([row('lost')], []);
  await Promise.resolve();
  n8n.keys.clear();
  await n8n.reconnect();
  await n8n.reconnect();
  expect(n8n.crashed).toEqual(['lost']);
});

test('one whose job was taken while the queue was read goes on', async () => {
  const rows = [row('taken')];
  const n8n = main(rows, []);
  n8n.afterJobs.push(() => void (rows[0]!.status = 'running'));
  await Promise.resolve();
  n8n.keys.clear();
  await n8n.reconnect();
  expect(n8n.crashed).toEqual([]);
});

test('of several mains only the leader marks any', async () => {
  const n8n = main([row('lost')], [], false);
  await Promise.resolve();
  n8n.keys.clear();
  await n8n.reconnect();
  expect(n8n.crashed).toEqual([]);
  // Else the leader, connected later, would not see the loss.
  expect(n8n.keys).toEqual(new Set());
});
