import type { Plan } from '../../../capacity/src/model/plan.js';
import { judgeOverload, overloadClause, overloadPhases } from '../../../capacity/src/judge/overload.js';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import { judgeStep } from '../../../capacity/src/judge/step.js';
import { buildGoodStep, buildPlan } from '../support/index.js';
import { failing, overloaded, SLO } from './overloaded.js';

const DEATH = { at: 1, instance: 'main-0', component: 'main', kind: 'died', reason: 'OOMKilled', detail: '' } as const;

test('after twice the capacity comes 0.8 times; after three times the target comes the target; nothing after a FAIL', () => {
  const search = buildPlan().rates;
  const held = { load: 'x', conclusion: '', steps: [] };
  const rates = (phases?: { rate: number }[]) => phases?.map(({ rate }) => rate);
  expect(rates(overloadPhases(search, { ...held, verdict: 'CAPACITY', capacity: 20 }))).toEqual([40, 16]);
  // The middle of the interval: what is sustained there must also come back there (bench:truth, metastable).
  const interval = { ...held, verdict: 'CAPACITY', capacity: 20, broken: 24.2 } as const;
  expect(rates(overloadPhases(search, interval))).toEqual([44, 17.6]);
  const target = { kind: 'target', rate: 10, headroom: 1.3 } as const;
  expect(rates(overloadPhases(target, { ...held, verdict: 'PASS', capacity: 13 }))).toEqual([30, 10]);
  expect(overloadPhases(target, { ...held, verdict: 'FAIL' })).toBeUndefined();
});

test('after clients in a closed loop comes a multiple of what they got through', () => {
  // 300 answers in 10 s.
  const step = buildGoodStep({ clients: 40, summary: { answered: 300 } });
  const closed = {
    load: 'x',
    conclusion: '',
    verdict: 'FAIL' as const,
    steps: [{ step, judged: judgeStep(step, SLO) }],
  };
  const rates = { kind: 'closed', clients: 40, overload: 3 } as const;
  const perSecond = 300 / ((step.measuredTo - step.measuredFrom) / 1000);
  expect(overloadPhases(rates, closed)!.map(({ rate }) => rate)).toEqual([3 * perSecond, 0.8 * perSecond]);
});

test('a deployment that keeps its capacity and works off what waited has come back', () => {
  const seen = judgeOverload(
    overloaded((at) => (at <= 30 ? 20 : 60)),
    SLO,
  );
  expect(seen).toMatchObject({ completed: 20, answered: 900, refused: 240, failed: 60, deaths: [] });
  expect(seen).not.toHaveProperty('collapsedTo');
  expect(seen.backSeconds).toBeGreaterThan(5);
  expect(seen.backSeconds).toBeLessThan(20);
});

test('a record that does not tell when answers came is read by when they were asked for', () => {
  const step = overloaded(() => 20);
  expect(judgeOverload(step, SLO).served).toBe(900);
  const [first, after] = step.phases!;
  expect(judgeOverload({ ...step, phases: [{ ...first!, served: 580 }, after!] }, SLO).served).toBe(580);
});

test('what cannot be counted is not claimed', () => {
  const uncounted = judgeOverload({ ...overloaded(() => 10), backlog: [] }, SLO);
  expect(uncounted).not.toHaveProperty('collapsedTo');
  expect(overloadClause(uncounted, 20)).toContain('unknown');
});

test('a death is named, and what does not come back after it either', () => {
  const dead = (perSecond: number) =>
    judgeOverload(
      overloaded(() => perSecond, { events: [DEATH] }),
      SLO,
    );
  expect(dead(1)).toMatchObject({ deaths: [expect.stringContaining('OOMKilled')], collapsedTo: 1 });
  expect(dead(30)).not.toHaveProperty('collapsedTo');
});

test('a deployment that neither answers nor tells its count any more has collapsed', () => {
  const step = overloaded(() => 0);
  const [overload, after] = step.phases!;
  const silent = {
    ...step,
    phases: [overload!, { ...after!, answered: 0, failed: 480, failures: { 'no answer (time-out)': 480 } }],
    backlog: step.backlog.slice(0, 20),
  };
  expect(judgeOverload(silent, SLO)).toMatchObject({ collapsedTo: 0 });
  expect(judgeOverload(silent, SLO)).not.toHaveProperty('unclear');
});

test('an overload that was not offered says nothing about the deployment', () => {
  const [overload, after] = overloaded(() => 20).phases!;
  const phases = [{ ...overload!, answered: 600, failed: 0 }, after!];
  const seen = judgeOverload(
    overloaded(() => 20, { phases }),
    SLO,
  );
  expect(seen.unclear).toContain('600 of 1200');
});

test('a generator at its limit says nothing about the deployment', () => {
  const k6 = { ...buildGoodStep({}).k6, cpuShare: 0.95 };
  const seen = judgeOverload(
    overloaded(() => 10, { k6 }),
    SLO,
  );
  expect(seen).toMatchObject({ unclear: expect.stringContaining('k6') as string });
  expect(seen).not.toHaveProperty('collapsedTo');
  expect(overloadClause(seen, 20)).toContain('unknown');
});

describe('the verdict on a load that was overloaded', () => {
  const steps = (perSecond: number, rate: number) => [buildGoodStep({ rate }), overloaded(() => perSecond)];

  test('a collapse takes the PASS, and the capacity down to what is left', () => {
    const target = buildPlan({ rates: { kind: 'target', rate: 16, headroom: 1.25 } });
    expect(judgeSteps(target, steps(10, 20)).verdict).toBe('FAIL');
    expect(judgeSteps(target, steps(20, 20)).verdict).toBe('PASS');
    expect(judgeSteps(buildPlan(), steps(10, 20))).toMatchObject({
      verdict: 'CAPACITY',
      loads: [{ capacity: 10, overload: { collapsedTo: 10 } }],
    });
  });

  test('a backlog that still grows takes the PASS of a target, not a capacity', () => {
    const grown = [buildGoodStep({ rate: 20 }), overloaded((at) => (at < 30 ? 38 : 15.7))];
    const target = buildPlan({ rates: { kind: 'target', rate: 16, headroom: 1.25 } });
    expect(judgeSteps(target, grown).verdict).toBe('INCONCLUSIVE');
    expect(judgeSteps(buildPlan(), grown)).toMatchObject({ verdict: 'CAPACITY', loads: [{ capacity: 20 }] });
  });

  test('errors for ever take the PASS of a target, and of a rate that is no lower; not a capacity', () => {
    const broken = [buildGoodStep({ rate: 20 }), failing(() => 1)];
    const verdict = (rates: Plan['rates']) => judgeSteps(buildPlan({ rates }), broken).verdict;
    expect(verdict({ kind: 'target', rate: 16, headroom: 1.25 })).toBe('FAIL');
    expect(verdict({ kind: 'rates', rates: [20] })).toBe('FAIL');
    expect(judgeSteps(buildPlan(), broken)).toMatchObject({ verdict: 'CAPACITY', loads: [{ capacity: 20 }] });
    const low = [buildGoodStep({ rate: 8 }), ...broken];
    expect(judgeSteps(buildPlan({ rates: { kind: 'rates', rates: [8, 20] } }), low).verdict).toBe('INCONCLUSIVE');
  });

  test('of rates that were asked for, the first one FAILs where it is above what is left', () => {
    const asked = (...rates: number[]) => buildPlan({ rates: { kind: 'rates', rates } });
    expect(judgeSteps(asked(20), steps(10, 20)).verdict).toBe('FAIL');
    expect(judgeSteps(asked(8, 20), [buildGoodStep({ rate: 8 }), ...steps(10, 20)]).verdict).toBe('PASS');
    // 16/s came back: 12/s may well be worked off.
    expect(judgeSteps(asked(12, 20), [buildGoodStep({ rate: 12 }), ...steps(10, 20)]).verdict).toBe('INCONCLUSIVE');
  });

  test('the overload is no try of a rate', () => {
    const [load] = judgeSteps(buildPlan(), steps(20, 20)).loads;
    expect(load).toMatchObject({ capacity: 20, steps: [{ step: { rate: 20 } }] });
  });
});

test.each([
  ['30/s answered of 20/s held', {}, ['at 40/s', 'keeps all', 'nothing dies', 'not back']],
  ['fewer executions than held', { completed: 15, backSeconds: 3.2 }, ['keeps 75 % of that,', 'after 4 s']],
  ['clients that gave up', { served: 60, completed: 12 }, ['keeps 10 %', 'executes 60 %']],
  [
    'refusals and a death',
    { refused: 450, answered: 450, failed: 0, completed: 15, deaths: ['main-0 died'] },
    ['refuses 50 %', 'main-0 died'],
  ],
  // The line of the warm-up is answered in the overload, and is longer than the one at its end.
  ['answers by when they came, not by when they were asked for', { answered: 480, served: 590 }, ['keeps all of that']],
  ['how soon it refuses', { refused: 450, refusedP50: 0.012 }, ['with 503 (after 12 ms, median)']],
])('the clause names %s', (_, changes, parts) => {
  const base = judgeOverload(
    overloaded(() => 20),
    SLO,
  );
  const { backSeconds: _back, ...slow } = base;
  for (const part of parts) expect(overloadClause({ ...slow, ...changes }, 20)).toContain(part);
});
