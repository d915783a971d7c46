import type { Sample } from '../../../capacity/src/model/sample.js';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import * as facts from '../../../capacity/src/report/facts.js';
import { buildPassingRun, buildQueueRun, step } from '../support/index.js';

const counts = (from: number, ...succeeded: (number | undefined)[]): Sample[] =>
  succeeded.map((n, i) => ({
    at: from + i * 1000,
    instances: [],
    ...(n !== undefined && { executions: { succeeded: n, failed: i } }),
  }));

describe('throughput of the measured part', () => {
  const at = step({ rate: 40 });

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
      offered: 40,
      answered: 40,
      ...(completed !== undefined && { completed }),
    });
  });
});

test.each([
  ['enough requests', 1000, 0, ['0 of 1000', '0.299 %'], false],
  ['too few requests', 31, 0, ['0 of 31', '9.21 %', '1 %'], true],
  ['too many errors', 50, 50, ['50 of 100', '58.6 %'], false],
  ['no request', 0, 0, ['unknown'], false],
])('the error rate that %s support', (_what, answered, failed, values, asksForMore) => {
  const base = step();
  const claim = facts.errorClaim({ ...base, summary: { ...base.summary, answered, failed } }, 0.01);
  for (const value of values) expect(claim).toContain(value);
  expect(claim.includes('longer step')).toBe(asksForMore);
});

test('the deciding step is the last valid one at the capacity', () => {
  const { run, steps } = buildPassingRun();
  const [load] = judgeSteps(run.plan, steps).loads;
  expect(facts.decidingStep(load!)!.step.index).toBe(9);
  expect(facts.decidingStep({ ...load!, capacity: undefined })!.step).toMatchObject({ rate: load!.broken });
  expect(facts.decidingStep({ load: 'x', verdict: 'INCONCLUSIVE', conclusion: '', steps: [] })).toBeUndefined();
});

test.each([
  ['slots over the execution time', buildQueueRun(), { rate: 80, formula: '40 slots ÷ 0.5 s' }],
  [
    'no slots, no bound',
    { ...buildQueueRun(), deployment: { ...buildQueueRun().deployment, slots: undefined } },
    undefined,
  ],
  [
    'clients over the service time',
    { ...buildQueueRun(), plan: { ...buildQueueRun().plan, rates: { kind: 'closed' as const, clients: 8 } } },
    { rate: 16, formula: '8 clients ÷ 0.5 s' },
  ],
])('bound: %s', (_what, run, bound) => {
  expect(facts.arithmeticBound(run.plan.loads[0]!, run)).toEqual(bound);
});

test('the bound of a mix takes the weighted mean', () => {
  const run = buildQueueRun();
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
