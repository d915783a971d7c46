import { REFUSED } from '../../../../capacity/src/load/samples.js';
import type { RecordedRun } from '../../../../capacity/src/record/recorder.js';
import { trialFigures } from '../../../../capacity/src/features/trial/figures.js';
import { buildGoodStep, buildPassingRun, type StepChanges } from '../../support/index.js';

/** The run of a trial whose clients got 400 answers in 20 s. */
const run = (step: StepChanges = {}, more: Partial<RecordedRun> = {}): RecordedRun => {
  const passing = buildPassingRun();
  const { rate: _, ...closed } = buildGoodStep({ load: passing.run.plan.loads[0]!.name, ...step });
  return { ...passing, steps: [{ ...closed, clients: 20 }], events: [], ...more };
};

test('answers per second, the latency of the clients, and the memory', () => {
  expect(trialFigures(run())).toMatchObject({ perSecond: 20, p95: 0.12 });
});

test('memory that was measured before the load does not count', () => {
  const trial = run();
  const seen = { ...trial, samples: trial.samples.map((s) => ({ ...s, at: trial.steps[0]!.measuredFrom + 1000 })) };
  expect(trialFigures(seen).memoryBytes).toBeGreaterThan(0);
  const memoryAt = trial.steps[0]!.measuredFrom - 1;
  const stale = seen.samples.map((s) => ({ ...s, instances: s.instances.map((i) => ({ ...i, memoryAt })) }));
  expect(trialFigures({ ...seen, samples: stale })).toMatchObject({ perSecond: 20 });
  expect(trialFigures({ ...seen, samples: stale }).memoryBytes).toBeUndefined();
});

test('a trial in which n8n died or requests failed gives no figures', () => {
  const died = { at: 1, instance: 'main-0', component: 'main' as const, kind: 'died' as const, detail: 'OOMKilled' };
  expect(trialFigures(run({}, { events: [died] })).failed).toMatch(/^main-0 died/);
  expect(trialFigures(run({ summary: { failed: 20 } })).failed).toMatch(/^20 of 420 requests failed/);
});

test('clients that the overload protection refuses are no failure; arrivals that it refuses are', () => {
  const refused = { summary: { failed: 100, failures: { [REFUSED]: 100 } } };
  expect(trialFigures(run(refused))).toMatchObject({ perSecond: 20 });
  const [step] = run(refused).steps;
  const { clients: _, ...open } = step!;
  expect(trialFigures({ ...run(refused), steps: [{ ...open, rate: 20 }] }).failed).toBeDefined();
  expect(
    trialFigures(run({ summary: { failed: 100, failures: { [REFUSED]: 80, 'HTTP 500': 20 } } })).failed,
  ).toBeDefined();
  expect(
    trialFigures(run({ summary: { answered: 0, failed: 100, failures: { [REFUSED]: 100 } } })).failed,
  ).toBeDefined();
});

test('a trial that other processes disturbed is no failure of n8n', () => {
  const machine = { cores: 2, busyCores: 2, otherCores: 0.9, takenCores: 0.9 };
  const { disturbed, failed } = trialFigures(run({ machine }));
  expect(disturbed).toMatch(/other processes/);
  expect(failed).toBeUndefined();
});

test('a run without a step gives no figures', () => {
  expect(trialFigures(run({}, { steps: [] })).failed).toBeDefined();
});

/** The same with a second load, driven after the first. */
function twoLoads(second: StepChanges = {}): RecordedRun {
  const first = run();
  const { plan } = first.run;
  const loads = [plan.loads[0]!, { ...plan.loads[0]!, name: 'code' }];
  const steps = [...first.steps, ...run({ index: 1, load: 'code', ...second }).steps];
  return { ...first, run: { ...first.run, plan: { ...plan, loads } }, steps };
}

test('of two loads, one after the other, the geometric mean and the figures of each', () => {
  const { perSecond, loads } = trialFigures(
    twoLoads({ summary: { answered: 100, latency: { p50: 0.1, p95: 0.3, p99: 1, max: 1 } } }),
  );
  const [first] = twoLoads().run.plan.loads;
  expect(loads).toMatchObject({ [first!.name]: { perSecond: 20 }, code: { perSecond: 5, p95: 0.3 } });
  expect(perSecond).toBeCloseTo(10);
});

test('of two loads, one that fails leaves no figures and is named', () => {
  expect(trialFigures(twoLoads({ summary: { failed: 20 } })).failed).toMatch(/^code: 20 of 420 requests failed/);
});

test('of two loads, a failure counts before a disturbance, whichever comes first', () => {
  const machine = { cores: 2, busyCores: 2, otherCores: 0.9, takenCores: 0.9 };
  const recorded = twoLoads({ summary: { failed: 20 } });
  const [first, second] = recorded.steps;
  expect(trialFigures({ ...recorded, steps: [{ ...first!, machine }, second!] }).failed).toMatch(/^code: /);
});
