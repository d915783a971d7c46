import { judgeRun } from '../../../capacity/src/judge/run.js';
import { goodStep, plan } from '../records.js';

const slow = { latency: { p50: 1, p95: 2, p99: 3, max: 4 } };

test('without a target: the capacity, and PASS because the first step held', () => {
  const steps = [goodStep({ rate: 5 }), goodStep({ rate: 10 }), goodStep({ rate: 20, summary: slow })];
  const { verdict, loads } = judgeRun(plan(), steps);
  expect(verdict).toBe('PASS');
  expect(loads[0]).toMatchObject({ capacity: 10, broken: 20 });
  expect(loads[0]!.conclusion).toMatch(/sustains 10\/s, breaks at 20\/s: p95 2.00 s/);
});

test('without a target: FAIL when the lowest rate that was asked for does not hold, with what does', () => {
  const steps = [goodStep({ rate: 5, summary: slow }), goodStep({ rate: 2.5 })];
  const { verdict, loads } = judgeRun(plan(), steps);
  expect(verdict).toBe('FAIL');
  expect(loads[0]!.conclusion).toMatch(/does not sustain 5\/s, only 2.5\/s: p95/);
});

test('a search that began too high and found its way down is no FAIL', () => {
  const steps = [goodStep({ rate: 20, summary: slow }), goodStep({ rate: 10 })];
  expect(judgeRun(plan(), steps)).toMatchObject({ verdict: 'PASS', loads: [{ capacity: 10, broken: 20 }] });
});

test.each([
  ['PASS', goodStep({ rate: 26, summary: { answered: 300 } }), /sustains 20\/s with headroom 1.3 \(26\/s\)/],
  ['FAIL', goodStep({ rate: 26, summary: slow }), /does not sustain 20\/s with headroom 1.3 \(26\/s\): p95/],
  ['INVALID', goodStep({ rate: 26, executions: null }), /cannot judge 20\/s/],
  [
    'INVALID',
    goodStep({ rate: 26 }),
    /cannot claim 20\/s.*0 of 200 requests failed, at most 1.49 % at 95 % confidence/,
  ],
])('with a target: %s', (verdict, step, conclusion) => {
  const judged = judgeRun(plan({ rates: { kind: 'target', rate: 20, headroom: 1.3 } }), [step]);
  expect(judged.verdict).toBe(verdict);
  expect(judged.loads[0]!.conclusion).toMatch(conclusion);
});

test('an INVALID step counts unless its rate could be judged after all', () => {
  const unread = { executions: null };
  const repeated = [goodStep({ rate: 5, ...unread }), goodStep({ rate: 5 }), goodStep({ rate: 10, summary: slow })];
  expect(judgeRun(plan(), repeated)).toMatchObject({ verdict: 'PASS', loads: [{ capacity: 5 }] });
  const left = [goodStep({ rate: 5 }), goodStep({ rate: 10, ...unread })];
  expect(judgeRun(plan(), left)).toMatchObject({ verdict: 'INVALID' });
});

test('closed: what was answered a second', () => {
  const { rate: _, ...closed } = goodStep({ clients: 8 });
  const judged = judgeRun(plan({ rates: { kind: 'closed', clients: 8 } }), [closed]);
  expect(judged).toMatchObject({ verdict: 'PASS', loads: [{ conclusion: '8 clients: 20/s answered' }] });
});

test('the worst load decides', () => {
  const two = plan({ loads: [plan().loads[0]!, { ...plan().loads[0]!, name: 'webhook-wait' }] });
  expect(judgeRun(two, [goodStep(), goodStep({ load: 'webhook-wait', summary: slow })]).verdict).toBe('FAIL');
  expect(judgeRun(two, [goodStep()]).verdict).toBe('INVALID');
});
