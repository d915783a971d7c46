import type { Limit } from '../../../../capacity/src/judge/bottleneck/limit.js';
import type { StepRecord } from '../../../../capacity/src/model/step.js';
import type { DeploymentRecord } from '../../../../capacity/src/model/run.js';
import type { InstanceEvent } from '../../../../capacity/src/model/events.js';
import type { Sample } from '../../../../capacity/src/model/sample.js';
import fc from 'fast-check';
import { findBottleneck } from '../../../../capacity/src/judge/bottleneck/find.js';
import { buildGoodStep, regularDeployment } from '../../support/index.js';
import { full, GIB, instance, queue, samples, seen } from './use.js';

const event = (changes: Partial<InstanceEvent>): InstanceEvent => ({
  at: 1,
  instance: 'worker-0',
  component: 'worker',
  kind: 'died',
  detail: 'signal SIGKILL',
  ...changes,
});
const busyK6 = { exitCode: 0, cpuShare: 0.85, samples: '' };

interface Case {
  what: string;
  samples?: Sample[];
  step?: StepRecord;
  deployment?: DeploymentRecord;
  limit: Limit;
  on?: string;
  /** What its evidence holds. */
  facts: string[];
}

const cases: Case[] = [
  {
    what: 'busy main',
    samples: seen({ 'main-0': { cores: 0.97 } }),
    limit: 'main-cpu',
    on: 'main-0',
    facts: ['0.97 cores of 1'],
  },
  {
    what: 'busy worker',
    samples: seen({ 'worker-0': { cores: 1 } }),
    limit: 'worker-cpu',
    on: 'worker-0',
    facts: ['1.00 cores of 1'],
  },
  {
    what: 'webhook processor at a limit of half a core',
    samples: seen({ 'webhook-0': { cores: 0.49 } }),
    limit: 'webhook-cpu',
    on: 'webhook-0',
    facts: ['0.49 cores of 0.5'],
  },
  {
    what: 'busy PostgreSQL',
    samples: seen({ 'postgresql-0': { cores: 1.9 } }),
    limit: 'database',
    on: 'postgresql-0',
    facts: ['1.90 cores of 2'],
  },
  {
    what: 'busy Redis',
    samples: seen({ 'redis-0': { cores: 0.95 } }),
    limit: 'redis',
    on: 'redis-0',
    facts: ['0.95 cores of 1'],
  },
  {
    what: 'the fuller of two CPUs',
    samples: seen({ 'main-0': { cores: 0.92 }, 'webhook-0': { cores: 0.5 } }),
    limit: 'webhook-cpu',
    on: 'webhook-0',
    facts: ['0.50 cores'],
  },
  {
    what: 'full slots while workers idle',
    samples: seen({}, full),
    limit: 'slots',
    facts: ['10 slots', '20 jobs'],
  },
  {
    what: 'full slots of busy workers',
    samples: seen({ 'worker-0': { cores: 1 } }, full),
    limit: 'worker-cpu',
    on: 'worker-0',
    facts: ['10 slots', '20 jobs', 'worker-0', '1.00 cores'],
  },
  {
    what: "regular mode's own slots",
    deployment: regularDeployment({ slots: 4 }),
    samples: samples({ 'main-0': {} }),
    step: buildGoodStep({ backlog: [{ at: 0, executions: 4 }] }),
    limit: 'slots',
    facts: ['4 executions', '4 slots'],
  },
  {
    what: "regular mode's slots that are full as main is busy",
    deployment: { ...queue, mode: 'regular', slots: 4 },
    samples: samples({ 'main-0': { cores: 1, thread: 0.98 } }),
    step: buildGoodStep({ backlog: [{ at: 0, executions: 217 }] }),
    limit: 'main-cpu',
    on: 'main-0',
    facts: ['4 executions', '1.00 cores'],
  },
  {
    what: 'a busy webhook processor, with slots that were full once',
    samples: seen({ 'webhook-0': { cores: 0.5 } }, { waiting: 0, active: 3 }).map((s, i) =>
      i === 5 ? { ...s, queue: { waiting: 1, active: 10 } } : s,
    ),
    limit: 'webhook-cpu',
    on: 'webhook-0',
    facts: ['0.50 cores'],
  },
  {
    what: 'a held event loop',
    samples: seen({ 'worker-0': { lag: 0.7 } }),
    limit: 'event-loop',
    on: 'worker-0',
    facts: ['700 ms'],
  },
  {
    what: 'a busy CPU, whose event loop lags for that',
    samples: seen({ 'worker-0': { cores: 1, lag: 0.7 } }),
    limit: 'worker-cpu',
    facts: ['cores'],
  },
  {
    what: 'a heap full of what is alive',
    samples: seen({ 'worker-0': { heap: () => 450 * 2 ** 20 } }),
    limit: 'heap',
    on: 'worker-0',
    facts: ['450 MiB', '500 MiB'],
  },
  {
    what: 'resident memory at its limit',
    samples: seen({ 'main-0': { rss: 0.97 * GIB } }),
    limit: 'memory',
    on: 'main-0',
    facts: ['993 MiB', '1024 MiB'],
  },
  {
    what: 'the generator, before what it spoils',
    samples: seen({ 'main-0': { cores: 1 } }),
    step: buildGoodStep({ k6: busyK6 }),
    limit: 'generator',
    facts: ['85 %'],
  },
  {
    what: 'an OOM kill, before anything busy',
    samples: seen({ 'main-0': { cores: 1 } }),
    step: buildGoodStep({ k6: busyK6, events: [event({ reason: 'OOMKilled' })] }),
    limit: 'memory',
    on: 'worker-0',
    facts: ['OOMKilled', '256 MiB', '1024 MiB'],
  },
  {
    what: 'a heap limit',
    step: buildGoodStep({ events: [event({ reason: 'V8HeapLimit' })] }),
    limit: 'heap',
    on: 'worker-0',
    facts: ['500 MiB'],
  },
  {
    what: 'a failing probe',
    step: buildGoodStep({ events: [event({ kind: 'probe-failed', detail: 'HTTP 503' })] }),
    limit: 'probe',
    on: 'worker-0',
    facts: ['HTTP 503'],
  },
  {
    what: 'a lost task runner',
    step: buildGoodStep({ events: [event({ kind: 'runner-died' })] }),
    limit: 'task-runner',
    on: 'worker-0',
    facts: ['worker-0'],
  },
  {
    what: 'a crash',
    step: buildGoodStep({ events: [event({ reason: 'Crash', detail: 'exit code 1' })] }),
    limit: 'crash',
    on: 'worker-0',
    facts: ['exit code 1'],
  },
];

test.each(cases)(
  '$what: $limit',
  ({ samples: used = seen(), step = buildGoodStep(), deployment = queue, limit, on, facts }) => {
    const { candidates, text } = findBottleneck(deployment, [step], used);
    expect(candidates[0]).toMatchObject({ limit, reached: true, ...(on && { instance: on }) });
    for (const fact of facts) expect(candidates[0]!.evidence).toContain(fact);
    expect(text).toContain(candidates[0]!.evidence);
  },
);

describe('nothing is at its limit', () => {
  test('says so, with what is fullest', () => {
    const { candidates, text } = findBottleneck(queue, [buildGoodStep()], seen({ 'webhook-0': { cores: 0.35 } }));
    expect(candidates.some((c) => c.reached)).toBe(false);
    expect(candidates[0]).toMatchObject({ limit: 'webhook-cpu', instance: 'webhook-0' });
    for (const fact of ['70 %', candidates[0]!.evidence]) expect(text).toContain(fact);
  });

  test.each<[string, Sample[]]>([
    ['slots that are full while nobody waits for one', seen({}, { waiting: 0, active: 10 })],
    ['a heap that the collector empties', seen({ 'worker-0': { heap: (i) => (i % 3 === 0 ? 100 : 490) * 2 ** 20 } })],
    [
      "PostgreSQL's resident memory, which counts what is shared many times",
      seen({ 'postgresql-0': { rss: 2 * GIB } }),
    ],
    [
      'one long lag in an otherwise free event loop',
      seen().map((s, i) => ({
        ...s,
        instances: s.instances.map((x) => ({ ...x, eventLoopLagP99Seconds: i === 5 ? 3 : 0.02 })),
      })),
    ],
    ['what was busy before the step', samples({ 'main-0': { cores: 1 } }, undefined, 900_000)],
    ['no samples', []],
  ])('%s', (_, used) => {
    expect(findBottleneck(queue, [buildGoodStep()], used).candidates.filter((c) => c.reached)).toEqual([]);
  });

  test('PostgreSQL without a limit has none that could be reached', () => {
    const deployment = { ...queue, instances: [instance('postgresql-0', 'postgresql')] };
    const { candidates } = findBottleneck(deployment, [buildGoodStep()], seen({ 'postgresql-0': { cores: 3 } }));
    expect(candidates.map((c) => c.limit)).toEqual(['slots', 'generator']);
  });
});

test('a limit that nothing enforces limits nothing; the cores of the machine do', () => {
  const deployment = { ...queue, limits: { enforced: false, detail: 'no cgroups' } };
  const used = seen({ 'main-0': { cores: 1.2, thread: 0.7, rss: GIB }, 'webhook-0': { cores: 0.49 } });
  const host = (busy: number, own: number) =>
    used.map((s, i) => ({
      ...s,
      host: { cores: 2, totalSeconds: 2 * i, busySeconds: 1000 + busy * i, ownSeconds: own * i },
    }));
  expect(findBottleneck(deployment, [buildGoodStep()], host(1.2, 1.2)).candidates.filter((c) => c.reached)).toEqual([]);
  const [first] = findBottleneck(deployment, [buildGoodStep()], host(1.96, 1.7)).candidates;
  expect(first).toMatchObject({ limit: 'machine-cpu', reached: true, disturbed: true });
  for (const fact of ['98 %', '2 cores', 'main-0 1.20', 'other processes 0.26', 'k6 0.20'])
    expect(first!.evidence).toContain(fact);
});

test('a heap that the collector cannot empty for long is full, however much was alive', () => {
  const use = { heap: () => 300 * 2 ** 20, gc: 0.5, majorGc: 0.4 };
  const [first] = findBottleneck(queue, [buildGoodStep()], seen({ 'worker-0': use })).candidates;
  expect(first).toMatchObject({ limit: 'heap', instance: 'worker-0' });
  expect(first!.evidence).toContain('40 %');
});

test("how long a job waited, by Little's law: 20 jobs wait, 40 end per second", () => {
  const used = seen({}, full).map((s, i) => ({ ...s, executions: { succeeded: 40 * i, failed: 0 } }));
  expect(findBottleneck(queue, [buildGoodStep()], used).candidates[0]!.evidence).toContain('500 ms on average');
});

test('of several tries the fullest of each limit counts, once', () => {
  const again = { measuredFrom: 2_000_000, measuredTo: 2_010_000, endedAt: 2_012_000 };
  const both = [
    ...seen({ 'main-0': { cores: 0.91 } }),
    ...samples({ 'main-0': { cores: 0.99 } }, undefined, 2_000_000),
  ];
  const { candidates } = findBottleneck(queue, [buildGoodStep(), buildGoodStep(again)], both);
  expect(candidates.filter((c) => c.limit === 'main-cpu')).toMatchObject([
    { evidence: expect.stringContaining('0.99 cores') },
  ]);
});

test('deaths keep the order in which they happened', () => {
  const events = [event({ kind: 'unready' }), event({ instance: 'main-0', component: 'main', reason: 'OOMKilled' })];
  const { candidates } = findBottleneck(queue, [buildGoodStep({ events })], seen());
  expect(candidates.slice(0, 2).map((c) => c.limit)).toEqual(['probe', 'memory']);
});

test('whatever was used: shares between 0 and 1, and what is reached before what is not', () => {
  const use = fc.record({
    cores: fc.double({ min: 0, max: 4, noNaN: true }),
    rss: fc.double({ min: 0, max: 2 * GIB, noNaN: true }),
    lag: fc.double({ min: 0, max: 5, noNaN: true }),
  });
  fc.assert(
    fc.property(use, use, fc.nat(50), fc.nat(50), (main, worker, waiting, active) => {
      const used = seen({ 'main-0': main, 'worker-0': worker }, { waiting, active });
      const { candidates } = findBottleneck(queue, [buildGoodStep()], used);
      expect(candidates.every((c) => c.share >= 0 && c.share <= 1)).toBe(true);
      const reached = candidates.map((c) => c.reached);
      expect(reached).toEqual([...reached].sort((a, b) => Number(b) - Number(a)));
    }),
    { numRuns: 50 },
  );
});
