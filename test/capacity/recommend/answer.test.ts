import { judgeSteps } from '../../../capacity/src/judge/run.js';
import type { Overload } from '../../../capacity/src/model/reports.js';
import { answerLoads, perDay } from '../../../capacity/src/recommend/answer.js';
import { buildPassingRun } from '../support/index.js';

const overload: Overload = {
  ...{ rate: 128, seconds: 30, returnRate: 51, returnSeconds: 20, answered: 1760, refused: 0, failed: 0, deaths: [] },
  ...{ served: 1760, completed: 58.2, backSeconds: 3.2 },
};

const answer = (changes: { overload?: Overload; capacity?: number } = {}) => {
  const run = buildPassingRun();
  const verdict = judgeSteps(run.run.plan, run.steps);
  const [load] = verdict.loads;
  return answerLoads(run, { ...verdict, loads: [{ ...load!, ...changes }] })[0]!;
};

test('the answer to a search is the capacity, what limits it, and what it is a day', () => {
  const { verdict, headline, details } = answer();
  expect(verdict).toBe('CAPACITY');
  expect(headline).toMatch(/^64\/s \(64 to 66\)/);
  expect(details[0]).toMatch(/^With headroom 1\.3: 49\.2\/s, about 4\.3 million executions a day/);
  const [limit, change] = details.slice(1);
  expect(change).toMatch(/^First change: /);
  const evidence = limit!.slice(limit!.indexOf(': ') + 2, -1);
  expect(evidence).not.toBe('');
  expect(change).not.toContain(evidence);
});

test('what is beyond the capacity is part of the answer', () => {
  expect(answer({ overload }).headline).toMatch(/at 128\/s it keeps 91 % of that, nothing dies, and .* after 4 s$/);
});

test('a choice in the workflow that costs a tenth or more is part of the answer', () => {
  const run = buildPassingRun();
  const choice = { rule: 'loop', title: 'Loop over items', nodes: ['Each'], change: 'Remove it.' };
  const choices = [
    { ...choice, share: 0.404 },
    { ...choice, share: 0.09 },
  ];
  const [told] = answerLoads({ ...run, run: { ...run.run, choices } }, judgeSteps(run.run.plan, run.steps));
  const lines = told!.details.filter((line) => line.includes('Loop over items'));
  expect(lines).toEqual([expect.stringMatching(/"Each".* 40 % .*Remove it\.$/)]);
});

test('no cost is told of a deployment in which it was not measured', () => {
  const run = buildPassingRun();
  const choices = [
    { rule: 'loop', title: 'Loop', nodes: [], unlike: ['n8n 2.39.10', 'queue mode'], change: 'Remove it.' },
  ];
  const [told] = answerLoads({ ...run, run: { ...run.run, choices } }, judgeSteps(run.run.plan, run.steps));
  const [line] = told!.details.filter((text) => text.includes('Loop'));
  expect(line).toMatch(/not measured .*n8n 2\.39\.10, queue mode/);
  expect(line).not.toContain('%');
});

test('a collapse says what held before it', () => {
  const { headline } = answer({ capacity: 20, overload: { ...overload, collapsedTo: 20 } });
  expect(headline).toMatch(/^20\/s, .*overload.* 64\/s held/);
});

test.each([
  // 13 ÷ 1.3 = 10/s; 864,000 a day.
  [13, '860,000', '220,000'],
  [64, '4.3 million', '1.1 million'],
])('%d/s a day: %s flat, %s at a peak', (capacity, flat, peak) => {
  expect(perDay(capacity)).toContain(`about ${flat} executions a day at a constant rate, ${peak} with a 4x peak`);
});
