import type { Limit } from '../../../../capacity/src/judge/bottleneck/limit.js';
import type { StepRecord } from '../../../../capacity/src/model/step.js';
import type { PoolUse, DatabaseLook, Sample } from '../../../../capacity/src/model/sample.js';
import { findBottleneck } from '../../../../capacity/src/judge/bottleneck/find.js';
import { buildGoodStep, regularDeployment } from '../../support/index.js';

const queue = regularDeployment({
  mode: 'queue',
  database: 'postgresdb',
  poolSize: 5,
  slots: 10,
  instances: [
    { name: 'main-0', component: 'main', limits: { cpuMillis: 1000 } },
    { name: 'worker-0', component: 'worker', limits: { cpuMillis: 1000 } },
    { name: 'postgresql-0', component: 'postgresql', limits: { cpuMillis: 1000 } },
  ],
});

interface Seen {
  pool?: PoolUse;
  workerCores?: number;
  connections?: Partial<DatabaseLook['connections']>;
  waiting?: Record<string, number>;
  /** Transactions of each second. */
  transactions?: (second: number) => number;
  queue?: Sample['queue'];
}

/** One sample a second of the step. */
function samples({ pool, workerCores = 0.2, connections, waiting = {}, transactions = () => 400, queue }: Seen) {
  let ended = 0;
  return Array.from({ length: 11 }, (_, i): Sample => {
    const used = (cores: number) => ({ rssBytes: 1, cpuSeconds: cores * i, processes: 1 });
    return {
      at: 1_000_000 + i * 1000,
      instances: [
        { name: 'main-0', ...used(0.2) },
        { name: 'worker-0', ...used(workerCores), ...(pool && { pool }) },
        { name: 'postgresql-0', ...used(0.2) },
      ],
      ...(queue && { queue }),
      database: {
        transactions: (ended += transactions(i)),
        connections: { active: 1, idle: 2, inTransaction: 0, other: 0, ...connections },
        waiting,
      },
    };
  });
}

/** A step whose median latency is `late` times as much in its second half. */
const slower = (late: number): StepRecord =>
  buildGoodStep({
    summary: { seconds: buildGoodStep().summary.seconds.map((s) => ({ ...s, p50: s.at < 5 ? 0.05 : 0.05 * late })) },
  });

const full: PoolUse = { active: 5, size: 5, pending: 12 };

test.each<[string, PoolUse, number, boolean]>([
  ['a full pool with long waits between the samples', { ...full, pending: 0 }, 0.08, true],
  ['a full pool with short waits', { ...full, pending: 0 }, 0.02, false],
  ['long waits for new connections while the pool is not full', { active: 2, size: 5, pending: 0 }, 0.08, false],
])('%s', (_, pool, wait, reached) => {
  const seen = samples({ pool }).map((sample, i) => ({
    ...sample,
    instances: sample.instances.map((s) => ({
      ...s,
      ...(s.pool && { inside: { connections: 200 * i, connectionSeconds: 200 * wait * i } }),
    })),
  }));
  const found = findBottleneck(queue, [buildGoodStep()], seen).candidates.find(
    (c) => c.instance === 'worker-0' && c.limit === 'database-connections',
  );
  expect(found).toMatchObject({ reached, evidence: expect.stringContaining(`${wait * 1000} ms`) });
});

test.each<[string, Seen, StepRecord, Limit, ...string[]]>([
  [
    'requests that wait for a connection',
    { pool: full },
    buildGoodStep(),
    'database-connections',
    '12',
    'worker-0',
    '5',
  ],
  [
    'full slots of executions that wait for a connection',
    { pool: full, queue: { active: 10, waiting: 30 } },
    buildGoodStep(),
    'database-connections',
    '5',
  ],
  [
    'a busy worker, which holds its connections for that',
    { pool: full, workerCores: 0.99 },
    buildGoodStep(),
    'worker-cpu',
    '0.99',
  ],
  [
    'all connections in use, by the count of PostgreSQL alone',
    { connections: { active: 6, inTransaction: 4 } },
    buildGoodStep(),
    'database-connections',
    '10 of the 10',
    '400 transactions/s',
  ],
  [
    'statements that wait for locks, and no more transactions while latency rises',
    { connections: { active: 4 }, waiting: { Lock: 3, Client: 1 } },
    slower(3),
    'database',
    '3',
    'Lock',
    '400 transactions/s',
  ],
])('%s', (_, seen, step, limit, ...facts) => {
  const { candidates } = findBottleneck(queue, [step], samples(seen));
  expect(candidates[0]).toMatchObject({ limit, reached: true });
  for (const fact of facts) expect(candidates[0]!.evidence).toContain(fact);
});

test.each<[string, Seen, StepRecord, typeof queue?]>([
  ['a full pool for which nothing waits', { pool: { ...full, pending: 0 } }, slower(3)],
  ['waits while latency stays', { connections: { active: 4 }, waiting: { Lock: 3 } }, buildGoodStep()],
  [
    'waits while PostgreSQL does more and more',
    { connections: { active: 4 }, waiting: { IO: 3 }, transactions: (i) => 100 * i },
    slower(3),
  ],
  ['waits for n8n', { connections: { inTransaction: 4 }, waiting: { Client: 4 } }, slower(3)],
  ['SQLite, whose pool is another', { pool: full }, buildGoodStep(), { ...queue, database: 'sqlite' }],
])('not the database: %s', (_, seen, step, deployment = queue) => {
  const { candidates } = findBottleneck(deployment, [step], samples(seen));
  expect(candidates.filter((c) => c.reached && c.limit.startsWith('database'))).toEqual([]);
});
