import { confirmCommand } from '../../../capacity/src/recommend/confirm-command.js';
import { describeRates } from '../../../capacity/src/plan/kinds.js';
import { largeNumber } from '../../../capacity/src/plan/quantities.js';
import { ratePlan, targetGiven } from '../../../capacity/src/plan/rates.js';
import { expectRefused } from './refused.js';

test.each([
  ['200000', 200_000],
  ['200_000', 200_000],
  ["200'000", 200_000],
  ['200k', 200_000],
  ['1.5M', 1_500_000],
  ['1.1k', 1100],
  ['0.001k', 1],
])('%s executions', (text, value) => expect(largeNumber(text, '--per-day')).toBe(value));

test.each(['0', '1.5', '1.0001k', '2000M', '200K', 'k', '', '-1k', '1e3'])('refuses "%s" executions', (text) =>
  expectRefused(() => largeNumber(text, '--per-day'), ['--per-day', `"${text}"`, '200k']),
);

test('executions a day are the rate of the busiest hour', () => {
  expect(targetGiven({ perDay: '864k', peak: '4x' })).toEqual({ rate: 40, day: { executions: 864_000, peak: 4 } });
  expect(targetGiven({ perDay: '864k' })).toEqual({ rate: 10, day: { executions: 864_000 } });
  expect(targetGiven({ target: '5/s' })).toEqual({ rate: 5 });
  expect(targetGiven({})).toBeUndefined();
});

test('the share of the busiest hour is stated, and who says so', () => {
  const described = (options: object) => describeRates(ratePlan(options));
  expect(described({ perDay: '864k', peak: '4x' })).toBe(
    'target 40/s with headroom 1.3: 864,000 executions a day, of which the busiest hour has 16.7 % (given: peak 4x)',
  );
  expect(described({ perDay: '864k' })).toMatch(/4\.17 % \(assumed: /);
  expect(described({ target: '40/s' })).toBe('target 40/s with headroom 1.3');
});

test.each([
  [{ target: '5/s', perDay: '1k' }, ['--target', '--per-day']],
  [{ peak: '4x' }, ['--peak', '--per-day']],
  [{ target: '5/s', peak: '4x' }, ['--peak', '--per-day']],
  [{ perDay: 'x', peak: '25x' }, ['--per-day', '--peak', '1x to 24x']],
])('refuses %j', (given, parts) => expectRefused(() => targetGiven(given), parts));

test('the command that confirms repeats what was asked', () => {
  expect(confirmCommand('results/a', { perDay: '200k', peak: '4x', headroom: '1.5' })).toBe(
    'n8n-capacity confirm results/a --per-day 200k --peak 4x --headroom 1.5',
  );
});
