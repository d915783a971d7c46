import type { LoadVerdict } from '../../../capacity/src/model/verdict.js';
import { judgeSteps } from '../../../capacity/src/judge/run.js';
import { sustainedRate } from '../../../capacity/src/judge/sustained.js';
import { goodStep, plan } from '../support/index.js';

/** The codes of the reasons of each step. */
const codes = ({ steps }: LoadVerdict) => steps.map(({ judged }) => judged.reasons.map((r) => r.code));

const slow = { latency: { p50: 1, p95: 2, p99: 3, max: 4 } };

test('without a target: the capacity, and PASS because the first step held', () => {
  const steps = [goodStep({ rate: 5 }), goodStep({ rate: 10 }), goodStep({ rate: 20, summary: slow })];
  const { verdict, loads } = judgeSteps(plan(), steps);
  expect(verdict).toBe('PASS');
  expect(loads[0]).toMatchObject({ capacity: 10, broken: 20 });
  expect(codes(loads[0]!)).toEqual([[], [], ['p95', 'p99']]);
  for (const fact of ['10/s', '20/s', 'p95']) expect(loads[0]!.conclusion).toContain(fact);
});

test('without a target: FAIL when the lowest rate that was asked for does not hold, with what does', () => {
  const steps = [goodStep({ rate: 5, summary: slow }), goodStep({ rate: 2.5 })];
  const { verdict, loads } = judgeSteps(plan(), steps);
  expect(verdict).toBe('FAIL');
  expect(loads[0]).toMatchObject({ capacity: 2.5, broken: 5 });
  for (const fact of ['5/s', '2.5/s', 'p95']) expect(loads[0]!.conclusion).toContain(fact);
});

test('a search that began too high and found its way down is no FAIL', () => {
  const steps = [goodStep({ rate: 20, summary: slow }), goodStep({ rate: 10 })];
  expect(judgeSteps(plan(), steps)).toMatchObject({ verdict: 'PASS', loads: [{ capacity: 10, broken: 20 }] });
});

test.each([
  ['PASS', [], goodStep({ rate: 26, summary: { answered: 300 } }), ['20/s', '26/s']],
  ['FAIL', ['p95', 'p99'], goodStep({ rate: 26, summary: slow }), ['20/s', '26/s', 'p95']],
  ['INCONCLUSIVE', ['count-unreadable'], goodStep({ rate: 26, executions: null }), ['20/s', '26/s']],
  // The step held, but 260 requests do not prove 1 % of errors.
  ['INCONCLUSIVE', [], goodStep({ rate: 26 }), ['20/s', '260', '1.15 %', '95 %']],
])('with a target: %s for %j', (verdict, reasons, step, facts) => {
  const judged = judgeSteps(plan({ rates: { kind: 'target', rate: 20, headroom: 1.3 } }), [step]);
  expect(judged.verdict).toBe(verdict);
  expect(codes(judged.loads[0]!)).toEqual([reasons]);
  for (const fact of facts) expect(judged.loads[0]!.conclusion).toContain(fact);
});

test('an INCONCLUSIVE step counts unless its rate could be judged after all', () => {
  const unread = { executions: null };
  const repeated = [goodStep({ rate: 5, ...unread }), goodStep({ rate: 5 }), goodStep({ rate: 10, summary: slow })];
  expect(judgeSteps(plan(), repeated)).toMatchObject({ verdict: 'PASS', loads: [{ capacity: 5 }] });
  const left = [goodStep({ rate: 5 }), goodStep({ rate: 10, ...unread })];
  expect(judgeSteps(plan(), left)).toMatchObject({ verdict: 'INCONCLUSIVE' });
});

test('closed: what was answered a second', () => {
  const { rate: _, ...closed } = goodStep({ clients: 8 });
  const judged = judgeSteps(plan({ rates: { kind: 'closed', clients: 8 } }), [closed]);
  expect(judged.verdict).toBe('PASS');
  expect(judged.loads[0]!.conclusion).toContain('20/s');
  expect(sustainedRate(judged.loads[0]!)).toBe(20);
});

test('the worst load decides', () => {
  const two = plan({ loads: [plan().loads[0]!, { ...plan().loads[0]!, name: 'webhook-wait' }] });
  expect(judgeSteps(two, [goodStep(), goodStep({ load: 'webhook-wait', summary: slow })]).verdict).toBe('FAIL');
  expect(judgeSteps(two, [goodStep()]).verdict).toBe('INCONCLUSIVE');
});

test('the capacity comes with how often its two ends held', () => {
  const barely = { latency: { p50: 0.1, p95: 0.81, p99: 1, max: 1 } };
  const at = [goodStep({ rate: 10, summary: barely }), goodStep({ rate: 10 }), goodStep({ rate: 10 })];
  const [load] = judgeSteps(plan(), [...at, goodStep({ rate: 12, summary: slow })]).loads;
  expect(load!.confidence).toEqual({
    held: { rate: 10, steps: 3, sustained: 2 },
    broken: { rate: 12, steps: 1, sustained: 0 },
  });
  for (const fact of ['10/s', '2 of 3', '12/s', 'p95']) expect(load!.conclusion).toContain(fact);
});

describe('errors that a search has seen', () => {
  const errors = (failed: number, answered: number) => ({ failed, answered, failures: { 'HTTP 500': failed } });

  test('one among few does not end it, and is no proof either', () => {
    const steps = [goodStep({ rate: 5, summary: errors(1, 60) }), goodStep({ rate: 10, summary: slow })];
    const { verdict, loads } = judgeSteps(plan(), steps);
    expect(loads[0]).toMatchObject({ capacity: 5, broken: 10 });
    expect(verdict).toBe('INCONCLUSIVE');
    for (const fact of ['5/s', '1 of 61', '7.54 %']) expect(loads[0]!.conclusion).toContain(fact);
  });

  test('many break a rate', () => {
    const { loads } = judgeSteps(plan(), [goodStep({ rate: 5, summary: errors(8, 92) })]);
    expect(loads[0]).toMatchObject({ verdict: 'FAIL', broken: 5 });
  });

  test('those of the rate that broke cast doubt on a sample below that could hide them, and on no other', () => {
    const judged = (share: number) =>
      judgeSteps(plan(), [
        goodStep({ rate: 5 }),
        goodStep({ rate: 6, summary: errors(share * 1000, 1000 - share * 1000) }),
      ]);
    // None of 200 failed: at most 1.49 % do.
    expect(judged(0.5).verdict).toBe('PASS');
    expect(
      judgeSteps(plan({ slo: { errors: 0.001 } }), [
        goodStep({ rate: 5 }),
        goodStep({ rate: 6, summary: errors(10, 990) }),
      ]).verdict,
    ).toBe('INCONCLUSIVE');
  });
});
