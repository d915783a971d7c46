import { decidedBy } from '../../../capacity/src/judge/decided.js';
import { Requests } from '../../../capacity/src/load/requests.js';
import { endedEarlyAt, endsAt } from '../../../capacity/src/run/ends-early.js';
import { lowerBound95 } from '../../../capacity/src/stats/intervals.js';

const plan = { slo: { p95: 1, errors: 0.01 } };
const SECONDS = 60;
const request = { at: { rate: 20 }, stepSeconds: SECONDS, profile: { endsOnceDecided: true as const } };
const FROM = 1_000_000;
const K6_THRESHOLDS = 99;

/** A request each 50 ms from the beginning, of which those from the second `slowFrom` on take 2 s; k6 records none after `until`. */
function requests(slowFrom: number, until: number): Requests {
  const read = new Requests({ a: 0 }, plan.slo);
  for (let second = 0; second < SECONDS; second += 0.05) {
    const sentAt = FROM + second * 1000;
    const endedAt = sentAt + (second >= slowFrom ? 2000 : 10);
    if (endedAt <= FROM + until * 1000) read.add({ workload: 'a', sentAt, endedAt, correct: true }, true);
  }
  return read;
}

test.each([20, 130, 4000, 100_000])(
  'a step of %d requests ends at so many slow ones that the rest cannot make it hold',
  (n) => {
    const [limit] = decidedBy(plan.slo, n);
    expect(limit).toMatchObject({ objective: 'p95', seconds: 1 });
    expect(limit!.answers).toBeGreaterThanOrEqual(3 * 0.05 * n);
    expect(lowerBound95(limit!.answers, n)).toBeGreaterThan(0.05);
  },
);

test('each objective of the latency has its own number; without one nothing ends a step', () => {
  const objectives = decidedBy({ p50: 0.2, p99: 5, errors: 0 }, 1000);
  expect(objectives.map(({ objective, seconds }) => [objective, seconds])).toEqual([
    ['p50', 0.2],
    ['p99', 5],
  ]);
  expect(decidedBy({ errors: 0 }, 1000)).toEqual([]);
});

test('only holds of a search end early, and only those with a rate', () => {
  expect(endsAt(plan, request).endsAt).toHaveLength(1);
  expect(endsAt(plan, { ...request, profile: {} })).toEqual({});
  expect(endsAt(plan, { ...request, at: { clients: 10 } })).toEqual({});
  expect(endsAt(plan, { ...request, stepSeconds: 10 })).toEqual({});
});

test('a step that k6 ended ends with the last answer that it recorded', () => {
  const ended = endedEarlyAt(plan, request, { exitCode: K6_THRESHOLDS }, requests(5, 20), FROM);
  expect(ended).toBeGreaterThan(FROM + 19_000);
  expect(ended).toBeLessThanOrEqual(FROM + 20_000);
});

test.each<[string, number | undefined, Requests]>([
  ['k6 was content', 0, requests(5, 20)],
  ['another threshold failed: few were slow', K6_THRESHOLDS, requests(19, 22)],
  ['it lasted to its end', K6_THRESHOLDS, requests(5, 70)],
])('it did not end early if %s', (_, exitCode, seen) =>
  expect(endedEarlyAt(plan, request, { exitCode }, seen, FROM)).toBeUndefined(),
);

test('objectives of the same length are one limit, the stricter one: k6 would count each answer twice', () => {
  const [strict] = decidedBy({ p99: 1, errors: 0 }, 1800);
  expect(decidedBy({ p95: 1, p99: 1, errors: 0.01 }, 1800)).toEqual([strict]);
});
