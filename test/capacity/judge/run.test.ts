import type { InstanceEvent } from '../../../capacity/src/model/events.js';
import type { LoadVerdict } from '../../../capacity/src/model/verdict.js';
import type { StepRecord } from '../../../capacity/src/model/step.js';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import { kneeSteps } from '../../../capacity/src/judge/knee.js';
import { sustainedRate, upperEnd } from '../../../capacity/src/judge/sustained.js';
import { answerLoads } from '../../../capacity/src/recommend/answer.js';
import { buildGoodStep, buildPassingRun, buildPlan } from '../support/index.js';

/** The codes of the reasons of each step. */
const codes = ({ steps }: LoadVerdict) => steps.map(({ judged }) => judged.reasons.map((r) => r.code));

const slow = { latency: { p50: 1, p95: 2, p99: 3, max: 4 } };
const DEATH: InstanceEvent = {
  ...{ at: 1, instance: 'main-0', component: 'main', kind: 'died', reason: 'OOMKilled', detail: 'signal 9' },
};

test('without a target: the capacity', () => {
  const steps = [buildGoodStep({ rate: 5 }), buildGoodStep({ rate: 10 }), buildGoodStep({ rate: 20, summary: slow })];
  const { verdict, loads } = judgeSteps(buildPlan(), steps);
  expect(verdict).toBe('CAPACITY');
  expect(loads[0]).toMatchObject({ capacity: 10, broken: 20 });
  expect(codes(loads[0]!)).toEqual([[], [], ['p95', 'p99']]);
  for (const fact of ['10/s', '20/s', 'p95']) expect(loads[0]!.conclusion).toContain(fact);
});

test('given rates: FAIL when the first does not hold, with what does', () => {
  const steps = [buildGoodStep({ rate: 5, summary: slow }), buildGoodStep({ rate: 2.5 })];
  const { verdict, loads } = judgeSteps(buildPlan({ rates: { kind: 'rates', rates: [5, 2.5] } }), steps);
  expect(verdict).toBe('FAIL');
  expect(loads[0]).toMatchObject({ capacity: 2.5, broken: 5 });
  for (const fact of ['5/s', '2.5/s', 'p95']) expect(loads[0]!.conclusion).toContain(fact);
});

test('a search that began too high and found its way down is no FAIL', () => {
  const steps = [buildGoodStep({ rate: 20, summary: slow }), buildGoodStep({ rate: 10 })];
  expect(judgeSteps(buildPlan(), steps)).toMatchObject({ verdict: 'CAPACITY', loads: [{ capacity: 10, broken: 20 }] });
});

test.each([
  ['PASS', [], buildGoodStep({ rate: 26, summary: { answered: 600 } }), ['20/s', '26/s']],
  ['FAIL', ['p95', 'p99'], buildGoodStep({ rate: 26, summary: slow }), ['20/s', '26/s', 'p95']],
  ['INCONCLUSIVE', ['count-unreadable'], buildGoodStep({ rate: 26, executions: null }), ['20/s', '26/s']],
  // The step held, but 260 requests do not prove 1 % of errors.
  [
    'INCONCLUSIVE',
    ['unproven', 'unproven', 'unproven'],
    buildGoodStep({ rate: 26, summary: { answered: 260 } }),
    ['20/s', '260', '1.15 %', '95 %'],
  ],
])('with a target: %s for %j', (verdict, reasons, step, facts) => {
  const judged = judgeSteps(buildPlan({ rates: { kind: 'target', rate: 20, headroom: 1.3 } }), [step]);
  expect(judged.verdict).toBe(verdict);
  expect(codes(judged.loads[0]!)).toEqual([reasons]);
  for (const fact of facts) expect(judged.loads[0]!.conclusion).toContain(fact);
});

test('a target: too few requests prove no SLO, though all are good', () => {
  const rates = { kind: 'target', rate: 1, headroom: 1 } as const;
  const few = (seconds: number) =>
    buildGoodStep({
      rate: 1,
      measuredTo: 1_000_000 + seconds * 1000,
      backlog: Array.from({ length: seconds }, (_, at) => ({ at, executions: 0 })),
      summary: { offered: seconds, answered: seconds },
    });
  const judged = (...steps: StepRecord[]) => judgeSteps(buildPlan({ rates, slo: { p50: 1, errors: 0 } }), steps);
  expect(judged(few(15)).verdict).toBe('INCONCLUSIVE');
  expect(judged(few(15)).loads[0]!.conclusion).toContain('15 requests');
  expect(judged(few(15), few(15)).verdict).toBe('PASS');
});

test('a target at which all of a few requests fail: FAIL', () => {
  const rates = { kind: 'target', rate: 1, headroom: 1 } as const;
  const failing = buildGoodStep({
    rate: 1,
    measuredTo: 1_013_000,
    executions: { sent: 13, unproved: 0, accepted: 0, completed: 0, failed: 0, drainSeconds: 0 },
    summary: { answered: 0, offered: 13, failed: 13, failures: { 'time-out': 13 }, latency: null },
  });
  const { verdict, loads } = judgeSteps(buildPlan({ rates }), [failing]);
  expect(verdict).toBe('FAIL');
  expect(loads[0]!.conclusion).toContain('13 of 13');
});

test('short steps in which memory was not measured hold no rate, until one at the rate measures it', () => {
  const short = buildGoodStep({ rate: 10, memoryUnmeasured: ['main'] });
  const broken = buildGoodStep({ rate: 20, summary: slow });
  const { verdict, loads } = judgeSteps(buildPlan(), [short, broken]);
  expect(verdict).toBe('INCONCLUSIVE');
  expect(loads[0]!.conclusion).toContain('the memory of main was not measured');
  expect(judgeSteps(buildPlan(), [short, buildGoodStep({ rate: 10 }), broken]).verdict).toBe('CAPACITY');
  const other = buildGoodStep({ rate: 10, memoryUnmeasured: ['worker'] });
  expect(judgeSteps(buildPlan(), [short, other, broken]).verdict).toBe('CAPACITY');
  expect(judgeSteps(buildPlan({ rates: { kind: 'rates', rates: [10] } }), [short]).verdict).toBe('INCONCLUSIVE');
});

test('an INCONCLUSIVE step counts unless its rate could be judged after all', () => {
  const unread = { executions: null };
  const repeated = [
    buildGoodStep({ rate: 5, ...unread }),
    buildGoodStep({ rate: 5 }),
    buildGoodStep({ rate: 10, summary: slow }),
  ];
  expect(judgeSteps(buildPlan(), repeated)).toMatchObject({ verdict: 'CAPACITY', loads: [{ capacity: 5 }] });
  const left = [buildGoodStep({ rate: 5 }), buildGoodStep({ rate: 10, ...unread })];
  expect(judgeSteps(buildPlan(), left)).toMatchObject({ verdict: 'INCONCLUSIVE' });
});

test('closed: what was answered a second', () => {
  const { rate: _, ...closed } = buildGoodStep({ clients: 8 });
  const judged = judgeSteps(buildPlan({ rates: { kind: 'closed', clients: 8 } }), [closed]);
  expect(judged.verdict).toBe('PASS');
  expect(judged.loads[0]!.conclusion).toContain('20/s');
  expect(sustainedRate(judged.loads[0]!)).toBe(20);
});

test('closed: the last step decides, as the first warm n8n up, unless it died in one of them', () => {
  const { rate: _, ...closed } = buildGoodStep({ clients: 8 });
  const died = { ...closed, events: [{ ...DEATH, at: closed.measuredFrom }] };
  const cold = { ...closed, summary: { ...closed.summary, latency: slow.latency, slow: { p95: 400, p99: 400 } } };
  const judged = (...steps: StepRecord[]) => judgeSteps(buildPlan({ rates: { kind: 'closed', clients: 8 } }), steps);
  expect(judged(cold, closed).verdict).toBe('PASS');
  expect(judged(closed, cold).verdict).toBe('FAIL');
  const { verdict, loads } = judged(died, closed);
  expect(verdict).toBe('FAIL');
  expect(loads[0]!.conclusion).toContain('OOMKilled');
});

test('the worst load decides', () => {
  const two = buildPlan({ loads: [buildPlan().loads[0]!, { ...buildPlan().loads[0]!, name: 'webhook-wait' }] });
  expect(judgeSteps(two, [buildGoodStep(), buildGoodStep({ load: 'webhook-wait', summary: slow })]).verdict).toBe(
    'FAIL',
  );
  expect(judgeSteps(two, [buildGoodStep()]).verdict).toBe('INCONCLUSIVE');
});

test('the capacity comes with how often its two ends held', () => {
  const barely = { slow: { p95: 22 } };
  const at = [buildGoodStep({ rate: 10, summary: barely }), buildGoodStep({ rate: 10 }), buildGoodStep({ rate: 10 })];
  const [load] = judgeSteps(buildPlan(), [...at, buildGoodStep({ rate: 12, summary: slow })]).loads;
  expect(load!.confidence).toEqual({
    held: { rate: 10, steps: 3, sustained: 2 },
    broken: { rate: 12, steps: 1, sustained: 0 },
  });
  for (const fact of ['10/s', '2 of 3', '12/s', 'p95']) expect(load!.conclusion).toContain(fact);
});

describe('clients that saturate a deployment', () => {
  /** Steps in which twice as many clients each time get so many requests a second through. */
  const probes = (...rates: number[]) =>
    rates.map((rate, i) => {
      const { rate: _, ...step } = buildGoodStep({ rate, clients: 10 * 2 ** i, index: i });
      return { ...step, summary: { ...step.summary, answered: (rate * (step.measuredTo - step.measuredFrom)) / 1000 } };
    });
  const found = (...steps: StepRecord[]) => judgeSteps(buildPlan(), steps).loads[0]!;

  test('are the upper end of its capacity, and where its limit is seen', () => {
    const steps = probes(49, 62, 66);
    const load = found(...steps, buildGoodStep({ rate: 50 }));
    expect(load).toMatchObject({ verdict: 'CAPACITY', capacity: 50, saturated: { rate: 66 } });
    expect(load.broken).toBeUndefined();
    expect(load.conclusion).toContain('66/s');
    expect(upperEnd(load)).toBe(66);
    expect(kneeSteps(load).map(({ step }) => step)).toEqual([steps[2]]);
  });

  test('say nothing while more of them get more through', () =>
    expect(found(...probes(49, 62), buildGoodStep({ rate: 50 })).saturated).toBeUndefined());

  test('say nothing while as many come again, as until n8n is warm', () => {
    const again = probes(33, 49, 50).map((probe) => ({ ...probe, clients: 10 }));
    expect(found(...again, buildGoodStep({ rate: 40 })).saturated).toBeUndefined();
    const [, more] = probes(33, 52);
    expect(found(...again, more!, buildGoodStep({ rate: 40 })).saturated).toMatchObject({ rate: 52 });
  });

  test('give way to a rate that broke', () => {
    const load = found(...probes(49, 50), buildGoodStep({ rate: 40 }), buildGoodStep({ rate: 45, summary: slow }));
    expect(load).toMatchObject({ capacity: 40, broken: 45 });
    expect(load.saturated).toBeUndefined();
  });

  test('tell what dies under them', () => {
    const [first, last] = probes(49, 50);
    const load = found(first!, { ...last!, events: [DEATH] }, buildGoodStep({ rate: 40 }));
    expect(load).toMatchObject({ verdict: 'CAPACITY', capacity: 40 });
    expect(load.saturationDeaths).toEqual([expect.stringMatching(/^with 20 clients main-0 died .*OOMKilled/)]);
    expect(load.conclusion).toContain(load.saturationDeaths![0]);
    const run = buildPassingRun();
    const [told] = answerLoads(run, { verdict: 'CAPACITY', loads: [load] });
    expect(told!.headline).toContain(load.saturationDeaths![0]);
  });

  test('were slower than the deployment is if a rate above theirs held', () =>
    expect(found(...probes(49, 50), buildGoodStep({ rate: 60 })).saturated).toBeUndefined());
});

describe('errors that a search has seen', () => {
  const errors = (failed: number, answered: number) => ({ failed, answered, failures: { 'HTTP 500': failed } });

  test('one among few does not end it, and is no proof either', () => {
    const steps = [buildGoodStep({ rate: 5, summary: errors(1, 60) }), buildGoodStep({ rate: 10, summary: slow })];
    const { verdict, loads } = judgeSteps(buildPlan(), steps);
    expect(loads[0]).toMatchObject({ broken: 10 });
    expect(loads[0]!.capacity).toBeUndefined();
    expect(verdict).toBe('INCONCLUSIVE');
    for (const fact of ['5/s', '1 of 61', '7.54 %']) expect(loads[0]!.conclusion).toContain(fact);
  });

  test('many break a rate', () => {
    const { loads } = judgeSteps(buildPlan(), [buildGoodStep({ rate: 5, summary: errors(8, 92) })]);
    expect(loads[0]).toMatchObject({ verdict: 'FAIL', broken: 5 });
  });

  test('a rate that is proved stands, though the next could not be', () => {
    const steps = [buildGoodStep({ rate: 11 }), buildGoodStep({ rate: 13, summary: errors(1, 130) })];
    const { verdict, loads } = judgeSteps(buildPlan(), steps);
    expect({ verdict, capacity: loads[0]!.capacity }).toEqual({ verdict: 'CAPACITY', capacity: 11 });
  });

  test('steps at one rate prove together what none of them proves', () => {
    const short = buildGoodStep({ rate: 20, summary: { answered: 200 } });
    const proved = (steps: StepRecord[]) => judgeSteps(buildPlan(), steps).loads[0]!.capacity;
    expect([proved([short]), proved([short, short])]).toEqual([undefined, 20]);
  });
});

test('given rates of which the first could not be judged: INCONCLUSIVE, though a lower one held', () => {
  const steps = [buildGoodStep({ rate: 10, executions: null }), buildGoodStep({ rate: 5 })];
  const judged = judgeSteps(buildPlan({ rates: { kind: 'rates', rates: [10, 5] } }), steps);
  expect(judged).toMatchObject({ verdict: 'INCONCLUSIVE', loads: [{ capacity: 5 }] });
});

test('given rates of which the first could not be judged: INCONCLUSIVE, though a higher one broke', () => {
  const disturbed = buildGoodStep({ rate: 20, k6: { ...buildGoodStep().k6, message: 'k6 ended with signal SIGKILL' } });
  const broke = (rate: number) => buildGoodStep({ rate, summary: slow });
  const judged = (...steps: StepRecord[]) =>
    judgeSteps(buildPlan({ rates: { kind: 'rates', rates: [20, 60] } }), steps);
  const { verdict, loads } = judged(disturbed, broke(60));
  expect({ verdict, broken: loads[0]!.broken }).toEqual({ verdict: 'INCONCLUSIVE', broken: 60 });
  for (const fact of ['cannot judge 20/s', 'SIGKILL', 'breaks at 60/s', 'p95'])
    expect(loads[0]!.conclusion).toContain(fact);
  // A lower rate that broke, and the same after all, decide.
  expect(judged(disturbed, broke(10)).verdict).toBe('FAIL');
  expect(judged(disturbed, broke(20), broke(60)).verdict).toBe('FAIL');
});

describe('executions that are lost', () => {
  const lost = { executions: { sent: 460, accepted: 460, completed: 459, failed: 0, drainSeconds: 30 } };

  test('at a rate that holds otherwise: FAIL, whatever a lower rate shows', () => {
    expect(judgeSteps(buildPlan(), [buildGoodStep({ rate: 20, ...lost }), buildGoodStep({ rate: 5 })]).verdict).toBe(
      'FAIL',
    );
  });

  test('at a rate that is too much: that rate is broken', () => {
    const judged = judgeSteps(buildPlan(), [
      buildGoodStep({ rate: 20, ...lost, summary: slow }),
      buildGoodStep({ rate: 5 }),
    ]);
    expect(judged).toMatchObject({ verdict: 'CAPACITY', loads: [{ capacity: 5, broken: 20 }] });
  });
});
