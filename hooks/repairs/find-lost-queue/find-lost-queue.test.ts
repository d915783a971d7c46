import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';

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
const { watch } = createRequire(import.meta.url)('./index.js') as {
  watch: (
    service: object,
    n8n: { isLeader: () => boolean; isNewBefore: (time: number, ids?: string[]) => Where },
    here: Here,
  ) => void;
};

/** A main of n8n at 1000 ms, with these rows in its database and jobs in its queue. */
function main(
  rows: Row[],
  jobs: string[],
  { isLeader = true, waiting }: { isLeader?: boolean; waiting?: number } = {},
) {
  const client = new EventEmitter();
  const crashed: string[] = [];
  const said: string[] = [];
  const afterJobs: (() => void)[] = [];
  const service = {
    queue: { client, getJobCounts: () => Promise.resolve({ waiting: waiting ?? jobs.length }) },
    executionRepository: {
      find: ({ where: { time, ids } }: { where: Where }) =>
        Promise.resolve(
          rows
            .filter((r) => r.status === 'new' && r.createdAt < time && (!ids || ids.includes(r.id)))
            .map(({ id }) => ({ id })),
        ),
      markAsCrashed: (ids: string[]) => {
        for (const r of rows) if (ids.includes(r.id)) r.status = 'crashed';
        return Promise.resolve(crashed.push(...ids));
      },
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
  watch(service, n8n, here);
  const reconnect = async (times = 1, event = 'ready') => {
    for (let time = 0; time < times; time++) client.emit(event);
    for (let turn = 0; turn < 40; turn++) await Promise.resolve();
  };
  return { crashed, said, afterJobs, reconnect, waited: () => waited };
}

const row = (id: string, status = 'new', createdAt = 500): Row => ({ id, status, createdAt });

test('what waited in a Redis that lost its data is marked as crashed; what runs, came later or has a job is not', async () => {
  const rows = [row('lost'), row('runs', 'running'), row('later', 'new', 2000), row('queued')];
  const n8n = main(rows, ['queued']);
  await n8n.reconnect();
  expect(n8n.crashed).toEqual(['lost']);
  expect(n8n.waited()).toBeGreaterThan(10_000);
  expect(n8n.said).toEqual([expect.stringContaining('1 executions')]);
});

test.each(['+node', '-node'])(
  'a node of Redis Cluster that comes or goes (%s) is a reconnection, too',
  async (event) => {
    const n8n = main([row('lost')], []);
    await n8n.reconnect(1, event);
    expect(n8n.crashed).toEqual(['lost']);
  },
);

test('a reconnection that lost nothing marks nothing, and is not told', async () => {
  const n8n = main([row('queued')], ['queued']);
  await n8n.reconnect();
  expect([n8n.crashed, n8n.said]).toEqual([[], []]);
});

test('a queue that is too long to be read at once is left to n8n', async () => {
  const n8n = main([row('lost')], ['queued'], { waiting: 10_001 });
  await n8n.reconnect();
  expect(n8n.crashed).toEqual([]);
  expect(n8n.said).toEqual([expect.stringContaining('10001 jobs wait')]);
});

test('of a failover, only what the other Redis does not have is marked, however much that is', async () => {
  const rows = Array.from({ length: 2500 }, (_, i) => row(`e${i}`));
  const n8n = main(
    rows,
    rows.slice(0, 400).map(({ id }) => id),
  );
  await n8n.reconnect();
  expect(n8n.crashed).toHaveLength(2100);
  expect(n8n.crashed).not.toContain('e0');
});

test('once for several reconnections', async () => {
  const n8n = main([row('lost')], []);
  await n8n.reconnect(3);
  await n8n.reconnect();
  expect(n8n.crashed).toEqual(['lost']);
  expect(n8n.said).toHaveLength(1);
});

test('one whose job was taken while the queue was read goes on', async () => {
  const rows = [row('taken')];
  const n8n = main(rows, []);
  n8n.afterJobs.push(() => void (rows[0]!.status = 'running'));
  await n8n.reconnect();
  expect(n8n.crashed).toEqual([]);
});

test('of several mains only the leader marks any', async () => {
  const n8n = main([row('lost')], [], { isLeader: false });
  await n8n.reconnect();
  expect(n8n.crashed).toEqual([]);
});
