import { judgeClaims } from '../../../experiments/src/judge/claims.js';
import type { ExperimentClaim } from '../../../experiments/src/spec/schema.js';
import { answered, recorded } from '../recorded.js';

const cells = [
  recorded({ of: { arrangement: 'one' }, load: answered(100) }),
  recorded({ of: { arrangement: 'cluster' }, load: answered(150) }),
  recorded({ of: { arrangement: 'broken' }, load: answered(150, 50) }),
];
const claim = (given: Partial<ExperimentClaim>): ExperimentClaim => ({
  says: 'so',
  measure: 'rate',
  of: { part: 'control', arrangement: 'cluster' },
  key: false,
  mayFail: false,
  ...given,
});
const judged = (given: Partial<ExperimentClaim>) => judgeClaims([claim(given)], cells)[0]!;

test('a ratio of two cells is compared with its bounds', () => {
  const over = { part: 'control', arrangement: 'one' };
  expect(judged({ over, atLeast: 1.2 })).toMatchObject({ verdict: 'holds', value: 1.5 });
  expect(judged({ over, atLeast: 1.6 }).verdict).toBe('fails');
  expect(judged({ over, atMost: 1.4 }).verdict).toBe('fails');
});

test('of several cells the one nearest to breaking the claim counts', () => {
  const of = { part: 'control', arrangement: ['one', 'broken'] };
  expect(judged({ of, measure: 'failedShare', atMost: 0.1 })).toMatchObject({ verdict: 'fails', value: 0.25 });
  expect(judged({ of, measure: 'failedShare', atLeast: 0.1 })).toMatchObject({ verdict: 'fails', value: 0 });
});

test('a rate of a failing deployment proves no claim, unless the claim allows failures', () => {
  const broken = {
    of: { part: 'control', arrangement: 'broken' },
    over: { part: 'control', arrangement: 'one' },
    atMost: 9,
  };
  expect(judged(broken)).toMatchObject({ verdict: 'not measured' });
  expect(judged({ ...broken, mayFail: true }).verdict).toBe('holds');
});

test('of several runs the median counts, and the bound must lie outside their spread', () => {
  const runs = [100, 110, 90].flatMap((one, run) => [
    recorded({ of: { arrangement: 'one', run }, load: answered(100) }),
    recorded({ of: { arrangement: 'cluster', run }, load: answered(one) }),
  ]);
  const over = { part: 'control', arrangement: 'one' };
  const of = (given: Partial<ExperimentClaim>) => judgeClaims([claim({ over, ...given })], runs)[0]!;
  expect(of({ atLeast: 0.8 })).toMatchObject({ verdict: 'holds', value: 1 });
  expect(of({ atLeast: 0.95 }).verdict).toBe('not measured');
  expect(of({ atLeast: 1.2 }).verdict).toBe('fails');
});

test('an outcome is one of those that are allowed', () => {
  expect(judged({ of: { arrangement: 'broken' }, measure: 'outcome', is: ['FailedRequests'] })).toMatchObject({
    verdict: 'holds',
    measured: 'FailedRequests',
  });
  expect(judged({ of: { part: 'control' }, measure: 'outcome', is: ['survives'] })).toMatchObject({
    verdict: 'fails',
    measured: 'survives, FailedRequests',
  });
});

test.each([
  ['no such cell', { of: { part: 'control', arrangement: 'pm2' } }],
  ['nothing to compare it with', { over: { part: 'control', arrangement: 'pm2' }, atLeast: 1 }],
  ['no such figure', { measure: 'payload', atLeast: 1 }],
])('%s: the claim is not measured, so it does not hold', (_, given) => {
  expect(judged(given).verdict).toBe('not measured');
});
