import { judgeSteps } from '../../../../capacity/src/judge/run.js';
import { buildGoodStep, buildPlan } from '../../support/index.js';

const replay = buildPlan({
  rates: { kind: 'replay', rate: 20, busiest: 60, times: 1.5 },
  arrivals: { kind: 'recorded', file: '/x/arrivals.json', times: 1.5, seed: 1 },
});
const judged = (step: Parameters<typeof buildGoodStep>[0]) =>
  judgeSteps(replay, [buildGoodStep({ rate: 20, replayed: true, ...step })]).loads[0]!;
const growing = Array.from({ length: 30 }, (_, at) => ({ at, executions: 4 * at }));

test('recorded arrivals that are sustained pass, with how many they were', () => {
  const { verdict, conclusion } = judged({});
  expect(verdict).toBe('PASS');
  for (const fact of ['× 1.5', '20/s', '60/s']) expect(conclusion).toContain(fact);
});

test('a backlog that grows towards a busy end is no FAIL if all of it ends: the arrivals grow, too', () => {
  expect(judged({ backlog: growing, replayed: undefined as never }).verdict).toBe('FAIL');
  expect(judged({ backlog: growing }).verdict).not.toBe('FAIL');
});

const LATE = { summary: { lagP95: 0.2, slow: { p95: 200, p99: 100 } } };
test.each([
  ['executions that never end', { executions: { accepted: 600, completed: 590, failed: 0, drainSeconds: 30 } }, 'FAIL'],
  ['slow answers', { summary: { slow: { p95: 200, p99: 100 } } }, 'FAIL'],
  ['late requests although clients were free, and slow answers', LATE, 'INCONCLUSIVE'],
  ['late requests, and all answers quick enough from when they were due', { summary: { lagP95: 0.2 } }, 'PASS'],
] as const)('%s: %s', (_, step, verdict) =>
  expect(judged(step as Parameters<typeof buildGoodStep>[0]).verdict).toBe(verdict),
);
