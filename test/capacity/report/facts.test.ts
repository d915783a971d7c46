import type { Sample } from '../../../capacity/src/model/sample.js';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import * as facts from '../../../capacity/src/report/html/facts.js';
import { passingRun, queueRun, step } from './fixtures.js';

const counts = (from: number, ...succeeded: (number | undefined)[]): Sample[] =>
  succeeded.map((n, i) => ({
    at: from + i * 1000,
    instances: [],
    ...(n !== undefined && { executions: { succeeded: n, failed: i } }),
  }));

describe('throughput of the measured part', () => {
  const at = step({ rate: 10 });

  test.each([
    ['counted at each end', counts(at.measuredFrom, ...Array.from({ length: 11 }, (_, i) => 100 + 9 * i)), 10],
    ['counted over half of it', counts(at.measuredFrom, 0, 9, 18, 27, 36, 45), 10],
    ['counted over less', counts(at.measuredFrom, 0, 9, 18, 27), undefined],
    ['counted now and then', counts(at.measuredFrom, 0, undefined, undefined, undefined, undefined, 45), 10],
    [
      'counted before and after it',
      [...counts(at.measuredFrom - 5000, 0, 1), ...counts(at.measuredTo + 1, 2)],
      undefined,
    ],
    ['never counted', counts(at.measuredFrom, undefined, undefined), undefined],
  ])('%s', (_what, samples, completed) => {
    expect(facts.throughput(at, samples)).toEqual({
      offered: 10,
      answered: 10,
      ...(completed !== undefined && { completed }),
    });
  });
});

test.each([
  [1000, 0, 0.01, '0 of 1000 requests failed: at most 0.299 % at 95 % confidence'],
  [
    31,
    0,
    0.01,
    '0 of 31 requests failed: at most 9.21 % at 95 % confidence, more than the 1 % of the SLO: a longer step could claim less',
  ],
  [50, 50, 0.01, '50 of 100 requests failed: at most 58.6 % at 95 % confidence'],
  [0, 0, 0.01, 'no request ended: nothing can be claimed'],
])('%i answered and %i failed claim what they can', (answered, failed, allowed, claim) => {
  const base = step();
  expect(facts.errorClaim({ ...base, summary: { ...base.summary, answered, failed } }, allowed)).toBe(claim);
});

test('the deciding step is the last valid one at the capacity', () => {
  const { run, steps } = passingRun();
  const [load] = judgeSteps(run.plan, steps).loads;
  expect(facts.decidingStep(load!)!.step.index).toBe(9);
  expect(facts.decidingStep({ ...load!, capacity: undefined })!.step).toMatchObject({ rate: load!.broken });
  expect(facts.decidingStep({ load: 'x', verdict: 'INCONCLUSIVE', conclusion: '', steps: [] })).toBeUndefined();
});

test.each([
  ['slots over the execution time', queueRun(), { rate: 80, formula: '40 slots ÷ 0.5 s' }],
  ['no slots, no bound', { ...queueRun(), deployment: { ...queueRun().deployment, slots: undefined } }, undefined],
  [
    'clients over the service time',
    { ...queueRun(), plan: { ...queueRun().plan, rates: { kind: 'closed' as const, clients: 8 } } },
    { rate: 16, formula: '8 clients ÷ 0.5 s' },
  ],
])('bound: %s', (_what, run, bound) => {
  expect(facts.arithmeticBound(run.plan.loads[0]!, run)).toEqual(bound);
});

test('the bound of a mix takes the weighted mean', () => {
  const run = queueRun();
  const mix = {
    name: 'mix',
    parts: [
      { workload: 'a', weight: 3 },
      { workload: 'b', weight: 1 },
    ],
    serviceSeconds: {},
    executionSeconds: { a: 0, b: 2 },
  };
  expect(facts.arithmeticBound(mix, run)).toMatchObject({ rate: 80 });
});

test('a process over time has gaps where it was down or began anew', () => {
  const sample = (second: number, cpuSeconds: number, processes = 1, heapUsedBytes?: number): Sample => ({
    at: 1000 + second * 1000,
    instances: [
      { name: 'main', rssBytes: processes * 2 ** 20, cpuSeconds, processes, ...(heapUsedBytes && { heapUsedBytes }) },
    ],
  });
  const samples = [
    sample(0, 1),
    sample(1, 1.5, 1, 2 ** 21),
    sample(3, 3.5),
    sample(4, 0, 0),
    sample(5, 0.2),
    sample(6, 0.1),
  ];
  expect(facts.instanceSeries('main', samples, 1000)).toEqual({
    rssMiB: [
      [0, 1],
      [1, 1],
      [3, 1],
      [4, null],
      [5, 1],
      [6, 1],
    ],
    heapMiB: [
      [0, null],
      [1, 2],
      [3, null],
      [4, null],
      [5, null],
      [6, null],
    ],
    cores: [
      [0, null],
      [1, 0.5],
      [3, 1],
      [4, null],
      [5, null],
      [6, null],
    ],
  });
  const late = { ...sample(1, 1.85), at: samples[1]!.at + 17 };
  const { cores } = facts.instanceSeries('main', [samples[0]!, samples[1]!, late, ...samples.slice(2)], 1000);
  // What was used in between is not that of 17 ms.
  expect(cores.filter(([, value]) => (value ?? 0) > 1)).toEqual([]);
  expect(facts.instanceSeries('other', samples, 1000).rssMiB.every(([, value]) => value === null)).toBe(true);
});
