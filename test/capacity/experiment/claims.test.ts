import { judgeClaims } from '../../../capacity/src/experiment/claims.js';
import type { ExperimentClaim } from '../../../capacity/src/experiment/spec.js';
import { answered, recorded } from './cells.js';

const cells = [
  recorded({ of: { arrangement: 'one' }, load: answered(100) }),
  recorded({ of: { arrangement: 'cluster' }, load: answered(150, 50) }),
];
const claim = (given: Partial<ExperimentClaim>): ExperimentClaim => ({
  says: 'so',
  measure: 'rate',
  of: { part: 'control', arrangement: 'cluster' },
  key: false,
  ...given,
});
const judged = (given: Partial<ExperimentClaim>) => judgeClaims([claim(given)], cells)[0]!;

test('a ratio of two cells is held against what is asked', () => {
  const over = { part: 'control', arrangement: 'one' };
  expect(judged({ over, atLeast: 1.2 })).toMatchObject({
    verdict: 'holds',
    value: 1.5,
    measured: '1.5 × (15 against 10)',
  });
  expect(judged({ over, atLeast: 1.6 }).verdict).toBe('fails');
  expect(judged({ over, atMost: 1.4 }).verdict).toBe('fails');
});

test('of several cells the one nearest to breaking the claim counts', () => {
  const of = { part: 'control' };
  expect(judged({ of, measure: 'failedShare', atMost: 0.1 })).toMatchObject({ verdict: 'fails', value: 0.25 });
  expect(judged({ of, measure: 'failedShare', atLeast: 0.1 })).toMatchObject({ verdict: 'fails', value: 0 });
});

test('an outcome is one of those that are allowed', () => {
  expect(judged({ measure: 'outcome', is: ['FailedRequests'] })).toMatchObject({
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
])('%s: the claim is not measured, which is not that it holds', (_, given) => {
  expect(judged(given).verdict).toBe('not measured');
});
