import { environmentOf } from '../../../capacity/src/load/k6.js';
import { burstPlan, phasesOf, type BurstOptions } from '../../../capacity/src/plan/burst.js';
import type { BurstPlan } from '../../../capacity/src/model/plan.js';

const TIMES = { drainWithin: '1m', warmup: '3s', drain: '2m', timeout: '60s' };
const burst = (options: Partial<BurstOptions>) =>
  burstPlan({ base: '1/s', spike: '20/s', for: '30s', ...TIMES, ...options });

test('a burst is base load, spike, and base load until the backlog must be drained', () => {
  const plan = burst({});
  expect(plan).toMatchObject({
    rates: { kind: 'burst', base: 1, spike: 20, spikeSeconds: 30, drainWithinSeconds: 60 },
    loads: [{ name: 'webhook-ack' }],
    slo: { errors: 0.01 },
    stepSeconds: 120,
    drainSeconds: 120,
  });
  expect(plan.slo.p95).toBeUndefined();
  expect(phasesOf(plan.rates as BurstPlan)).toEqual([
    { name: 'base', rate: 1, seconds: 20 },
    { name: 'spike', rate: 20, seconds: 30 },
    { name: 'recovery', rate: 1, seconds: 70 },
  ]);
});

test.each<[Partial<BurstOptions>, object]>([
  [{ base: '0.1/s' }, { rates: { baseSeconds: 200 } }],
  [{ spike: undefined, for: undefined, cron: '500' }, { rates: { spike: 500, spikeSeconds: 1 } }],
  [{ slo: 'p95=2s' }, { slo: { p95: 2, errors: 0.01 } }],
  [{ maxRate: '20/s' }, { guard: { maxRate: 20 } }],
  [{ workload: 'webhook-wait', query: ['seconds=1'] }, { loads: [{ executionSeconds: { 'webhook-wait': 1 } }] }],
  [{ spike: '3000/s', for: '2s' }, { stepSeconds: 92 }],
])('of %j', (options, expected) => {
  expect(burst(options)).toMatchObject(expected);
});

test('k6 is told the rates and how long each lasts', () => {
  const plan = burst({ spike: undefined, for: undefined, cron: '500' });
  const step = { load: plan.loads[0]!, phases: phasesOf(plan.rates as BurstPlan), ...plan, endpoints: [], token: '' };
  expect(environmentOf({ ...step, folder: '', csv: '' })).toMatchObject({
    MODEL: 'open',
    RATES: '1,500,1',
    DURATIONS: '20s,1s,70s',
    K6_NO_CONNECTION_REUSE: 'true',
  });
});

test.each<[Partial<BurstOptions>, RegExp]>([
  [{ spike: undefined }, /--spike and --for are missing: write/],
  [{ for: undefined }, /--spike and --for are missing: write/],
  [{ cron: '500' }, /--cron and --spike exclude each other/],
  [{ cron: '500', spike: undefined }, /--cron and --for exclude each other/],
  [
    { cron: '5', spike: undefined, for: undefined },
    /--cron: "5" is not allowed; write a whole number from 20 to 10000/,
  ],
  [{ spike: '1/s' }, /--spike: 1\/s is not above the base of 1\/s; write a higher rate/],
  [{ spike: '2/s', for: '5s' }, /--for: 2\/s for 5s is 10 requests, and 20 are needed; write --for 10s or more/],
  [{ for: '500ms' }, /--for: 500ms is not allowed; write 1s to 1h/],
  [{ for: '2h' }, /--for: 2h is not allowed/],
  [{ base: '1/h' }, /--base: 1\/h is too low to measure; write at least 20\/h/],
  [{ base: 'much' }, /--base: "much" is no arrival rate/],
  [{ drainWithin: '0s' }, /--drain-within: 0s is not allowed; write 1s to 1h/],
  [{ maxRate: '10/s' }, /--max-rate: 10\/s is less than the 20\/s that are asked for/],
  [{ workload: 'webhook-akc' }, /workload "webhook-akc" does not exist; did you mean "webhook-ack"/],
  [{ slo: 'p96=1s' }, /--slo: unknown objective/],
  [{ timeout: '2s', workload: 'webhook-wait' }, /--timeout: 2s is not allowed; the workload itself takes 5s/],
])('%j is refused', (options, message) => {
  expect(() => burst(options)).toThrow(message);
});
