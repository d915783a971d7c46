import { expectedSeconds, expectedLoadSeconds } from '../../../capacity/src/run/expected-time.js';
import { payloadLimitPlan } from '../../../capacity/src/plan/payload-limit.js';
import { planFromOptions } from '../../../capacity/src/plan/validate.js';
import { STEP_DEFAULTS } from '../../../capacity/src/plan/times.js';

const seconds = (options: object = {}) =>
  expectedSeconds(planFromOptions({ ...STEP_DEFAULTS, overload: true, workload: ['webhook-ack'], ...options }));

test('each workload takes its time', () => {
  const one = seconds();
  const two = seconds({ workload: ['webhook-ack', 'webhook-expression'] });
  const start = 2 * one - two;
  expect(start).toBeGreaterThan(0);
  expect(start).toBeLessThan(one);
});

test('a quick search is shorter', () => {
  expect(seconds({ precision: '40%' })).toBeLessThan(seconds());
});

test('rates take their steps, warm-ups and executions', () => {
  const one = seconds({ rates: '5/s', stepDuration: '100s' });
  const two = seconds({ rates: '5/s,6/s', stepDuration: '100s' });
  expect(two - one).toBeGreaterThanOrEqual(100 + 3);
  expect(two - one).toBeLessThan(110);
  const slow = { rates: '5/s', stepDuration: '100s', workload: ['webhook-ack-wait'] };
  expect(seconds(slow)).toBeGreaterThan(one);
});

test('a confirmation takes each of its rates', () => {
  const one = planFromOptions({ ...STEP_DEFAULTS, rates: '5/s', stepDuration: '100s', workload: ['webhook-ack'] });
  const confirm = (rates: number[]) => expectedSeconds({ ...one, rates: { kind: 'confirm', rates } });
  expect(confirm([5, 6]) - confirm([5])).toBeGreaterThanOrEqual(100);
});

test('the payload limit takes its tries for each number of clients', () => {
  const limit = (concurrency: string) => expectedSeconds(payloadLimitPlan({ concurrency, hold: '1s', timeout: '60s' }));
  expect(limit('1,2,4') - limit('1,2')).toBeGreaterThanOrEqual(80);
});

test('of the loads that are left, each takes its own time', () => {
  const plan = planFromOptions({ ...STEP_DEFAULTS, target: '5/s' });
  const [first, second] = plan.loads.map((load) => expectedLoadSeconds([load], plan));
  expect(expectedLoadSeconds(plan.loads, plan)).toBe(first! + second!);
  expect(expectedSeconds(plan)).toBeGreaterThan(first! + second!);
});

test('an overload adds to a target', () => {
  const target = { target: '5/s', stepDuration: '120s' };
  expect(seconds(target) - seconds({ ...target, overload: false })).toBeGreaterThanOrEqual(30);
});
