import {
  planConfirmation,
  planRun,
  listRuns,
  type ConfirmOptions,
} from '../../../../capacity/src/features/confirm/plan.js';
import { UsageError } from '../../../../capacity/src/core/errors.js';
import type { RunRecord } from '../../../../capacity/src/model/run.js';
import type { StepRecord } from '../../../../capacity/src/model/step.js';
import type { RecordedRun } from '../../../../capacity/src/record/recorder.js';
import { buildGoodStep, buildLoad, buildPlan, regularDeployment, buildRunRecord } from '../../support/index.js';

const LATE = { latency: { p50: 1, p95: 2, p99: 3, max: 4 } };
const OPTIONS: ConfirmOptions = { deployments: '3', soak: '15m' };

/** A search that held 26/s and broke at 30/s, unless changed. */
const recorded = (changes: Partial<RunRecord> = {}, steps?: StepRecord[]): RecordedRun => ({
  folder: 'results/friday',
  run: buildRunRecord(changes),
  steps: steps ?? [buildGoodStep({ rate: 26 }), buildGoodStep({ index: 1, rate: 30, summary: LATE })],
  samples: [],
  events: [],
  rows: [],
});

/** A rate that held, and an overload that the deployment does not come back from. */
function collapsed(): StepRecord[] {
  const held = buildGoodStep({ rate: 20 });
  const phase = { failed: 0, failures: {}, latency: null };
  const { rate: _, ...overload } = buildGoodStep({
    index: 1,
    measuredTo: held.measuredFrom + 50_000,
    summary: {
      seconds: Array.from({ length: 50 }, (_, at) => ({ at, sent: at < 30 ? 48 : 16, answered: 0, failed: 0 })),
    },
    backlog: Array.from({ length: 50 }, (_, at) => {
      const arrived = at < 30 ? 48 * at : 48 * 30 + 16 * (at - 30);
      return { at, executions: arrived - 10 * at, waiting: arrived - 10 * at, succeeded: 10 * at };
    }),
  });
  return [
    held,
    {
      ...overload,
      phases: [
        { ...phase, name: 'overload', rate: 48, from: 0, to: 30, answered: 1440 },
        { ...phase, name: 'return', rate: 16, from: 30, to: 50, answered: 320 },
      ],
    },
  ];
}

/** The same, but it works off all that arrives, and one in four of the requests after the overload fails for ever. */
function failing(): StepRecord[] {
  const [held, overload] = collapsed() as [StepRecord, StepRecord];
  const backlog = overload.backlog.map(({ at }) => ({ at, executions: 0, waiting: 0, succeeded: 48 * at }));
  const seconds = backlog.map(({ at }) => ({ at, sent: 16, answered: 12, failed: at < 30 ? 0 : 4, p50: 0.1 }));
  return [held, { ...overload, backlog, summary: { ...overload.summary, seconds } }];
}

/** The same, but it dies in the overload. */
function dead(): StepRecord[] {
  const [held, overload] = failing() as [StepRecord, StepRecord];
  const died = { instance: 'main-0', component: 'main', kind: 'died', reason: 'OOMKilled', detail: '' } as const;
  return [held, { ...overload, events: [{ ...died, at: overload.measuredFrom + 1000 }] }];
}

const target = buildPlan({ rates: { kind: 'target', rate: 20, headroom: 1.5 } });

test.each([
  ['a search: its capacity with the headroom', recorded(), {}, 20, 26],
  ['a target: that, with its own headroom', recorded({ plan: target }), {}, 20, 30],
  ['another headroom', recorded({ plan: target }), { headroom: '1.1' }, 20, 22],
  ['another target', recorded(), { target: '10/s' }, 10, 13],
  ['executions a day', recorded(), { perDay: '216k', peak: '4x' }, 10, 13],
])('the rates to confirm of %s', (_, run, options, rate, withHeadroom) => {
  const [asked] = planConfirmation(run, { ...OPTIONS, ...options }).rates;
  expect(asked!.target).toBeCloseTo(rate);
  expect(asked!.withHeadroom).toBeCloseTo(withHeadroom);
});

test('refuses a rate above what a deployment is stuck at after its overload: steady load does not show that', () => {
  // It ends 10/s of the 16/s that come after the overload, with more waiting all the time.
  const work = (target?: string) => () =>
    planConfirmation(
      recorded({ plan: buildPlan({ rates: { kind: 'target', rate: 16, headroom: 1.25 } }) }, collapsed()),
      {
        ...OPTIONS,
        ...(target && { target }),
      },
    );
  expect(work()).toThrow(UsageError);
  expect(work()).toThrow('10 of 16/s');
  expect(work('8/s')().rates[0]!.target).toBe(8);
});

test.each([
  ['requests keep failing', failing(), 'requests keep failing'],
  ['n8n died', dead(), 'does not survive'],
])('refuses a deployment with which %s after an overload', (_, steps, text) => {
  const target = buildPlan({ rates: { kind: 'target', rate: 16, headroom: 1.25 } });
  expect(() => planConfirmation(recorded({ plan: target }, steps), OPTIONS)).toThrow(text);
});

test('refuses the values of a soak that drifts: the soak of a confirmation is shorter', () => {
  const minutes = 40;
  const soak = buildGoodStep({ rate: 26, measuredTo: 1_000_000 + minutes * 60_000 });
  const samples = Array.from({ length: minutes * 6 }, (_, i) => ({
    at: soak.measuredFrom + i * 10_000,
    instances: [{ name: 'main-0', rssBytes: 1e9 + i * 1e6 + (i % 5) * 1e5, cpuSeconds: i, processes: 1 }],
  }));
  const rates = { kind: 'soak', rate: 26, horizonSeconds: 604_800 } as const;
  const work = () => planConfirmation({ ...recorded({ plan: buildPlan({ rates }) }, [soak]), samples }, OPTIONS);
  expect(work).toThrow(UsageError);
  expect(work).toThrow("main-0's memory grows");
});

test.each([
  ['two deployments', recorded(), { deployments: '2' }, '--deployments: "2"'],
  ['a bad soak', recorded(), { soak: 'long' }, '--soak: "long"'],
  ['a bad headroom', recorded(), { headroom: '0.5' }, '--headroom: "0.5"'],
  ['no rate', recorded({}, [buildGoodStep({ rate: 26, summary: LATE })]), {}, '--target 20/s'],
  ['clients', recorded({ plan: buildPlan({ rates: { kind: 'closed', clients: 8 } }) }), {}, 'a closed loop of clients'],
  [
    'recorded arrivals',
    recorded({
      plan: buildPlan({
        rates: { kind: 'replay', rate: 2, busiest: 20, times: 1 },
        arrivals: { kind: 'recorded', file: '/x/arrivals.json', times: 1, seed: 1 },
      }),
    }),
    { target: '10/s' },
    '--target',
  ],
  [
    'an existing n8n',
    recorded({ deployment: regularDeployment({ provisioner: 'existing' }) }),
    {},
    'deployments of its own',
  ],
])('refuses %s', (_, run, options, fact) => {
  const work = () => planConfirmation(run, { ...OPTIONS, ...options });
  expect(work).toThrow(UsageError);
  expect(work).toThrow(fact);
});

test('tries of the record: what held in another database is no evidence, what broke is', () => {
  const seeded = planConfirmation(recorded(), OPTIONS);
  expect(seeded.plan.seedExecutions).toBe(50_000);
  expect(seeded.before).toEqual([{ load: 'webhook-ack', rate: 30, held: false }]);
  const empty = planConfirmation(recorded(), { ...OPTIONS, seedExecutions: '0' });
  expect(empty.plan.seedExecutions).toBeUndefined();
  expect(empty.before).toEqual([
    { load: 'webhook-ack', rate: 26, held: true },
    { load: 'webhook-ack', rate: 30, held: false },
  ]);
});

test.each([
  ['as many as n8n keeps', regularDeployment({ pruning: { maxAgeHours: 336, maxCount: 10_000 } }), '2.41.1', 10_000],
  ["in main's file on Kubernetes", regularDeployment({ provisioner: 'kubernetes' }), '2.41.1', 50_000],
  [
    'none in a PostgreSQL that the chart does not install',
    regularDeployment({ provisioner: 'kubernetes', database: 'postgresdb' }),
    '2.41.1',
    undefined,
  ],
  ['none below n8n 1.0', regularDeployment(), '0.221.2', undefined],
])('executions in the database: %s', (_, deployment, n8n, executions) => {
  const { plan: shared } = planConfirmation(recorded({ deployment, versions: { n8n, k6: '2.2.0' } }), OPTIONS);
  expect(shared.seedExecutions).toBe(executions);
});

test('each load gets fresh deployments, in an order that alternates, then a soak at the target × headroom', () => {
  const loads = [buildLoad('webhook-ack'), buildLoad('code')];
  const steps = loads.map(({ name }, index) => buildGoodStep({ index, load: name, rate: 26 }));
  const record = planConfirmation(recorded({ plan: buildPlan({ loads }) }, steps), OPTIONS);
  const runs = listRuns(record);
  expect(runs.map(({ load, deployment }) => `${load} ${deployment ?? 'soak'}`)).toEqual([
    ...['webhook-ack 1', 'code 1', 'webhook-ack 2', 'code 2', 'webhook-ack 3', 'code 3'],
    ...['webhook-ack soak', 'code soak'],
  ]);
  const plans = runs.map((run) => planRun(record, run));
  expect(plans.map((p) => p.loads.map(({ name }) => name))).toEqual(runs.map(({ load }) => [load]));
  expect(plans[0]!.rates).toEqual({ kind: 'confirm', rates: [20, 26] });
  expect(plans[2]!.rates).toEqual({ kind: 'confirm', rates: [26, 20] });
  expect(plans.at(-1)).toMatchObject({ stepSeconds: 900, rates: { kind: 'soak', rate: 26, horizonSeconds: 3600 } });
  expect(new Set(plans.slice(0, 6).map((p) => JSON.stringify(p.arrivals))).size).toBe(3);
});
