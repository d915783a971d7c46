import { planFor, validateVirtually } from '../../../bench/search/run.js';
import { cliff, late, leak, queue, queueCapacity, targets } from '../../../bench/search/targets.js';
import { seededRandom } from '../../../capacity/src/stats/random.js';

const SLO = { p95: 0.8, errors: 0.001 };

test('the capacity of D/M/1 by formula is where its simulated 95th percentile meets the objective', () => {
  const [serviceRate, requests] = [20, 4_000_000];
  const capacity = queueCapacity(serviceRate, SLO);
  const server = queue(serviceRate).start(capacity, seededRandom(1));
  let late = 0;
  for (let i = 0; i < requests; i++) if (server.request(i / capacity).answeredAt - i / capacity > SLO.p95) late++;
  expect(late / requests).toBeGreaterThan(0.045);
  expect(late / requests).toBeLessThan(0.055);
});

test('an objective that no request of an idle server meets leaves no capacity', () => {
  expect(queueCapacity(3, SLO)).toBe(0);
});

test.each(targets(40).map((t) => [t.name, t] as const))('%s: found within 8 %% by one search', (_, target) => {
  const { capacity, confidence, steps } = validateVirtually(target, planFor(target, { precision: '5%' }), 3);
  expect(Math.abs(capacity! / target.capacity - 1)).toBeLessThan(0.08);
  expect(steps.length).toBeLessThanOrEqual(14);
  expect(confidence!.broken!.rate / confidence!.held.rate).toBeLessThanOrEqual(1.05);
});

test.each([
  ['cliff', cliff(40), 'p95'],
  ['late', late(40), 'backlog'],
  ['leak', leak(40), 'latency-trend'],
])('%s is broken above its capacity by what it models', (_, target, code) => {
  const plan = planFor(target, { target: '48/s', headroom: '1' });
  expect(validateVirtually(target, plan, 1).steps[0]!.judged.reasons.map((r) => r.code)).toContain(code);
});
