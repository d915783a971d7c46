import { buildScriptEnvironment } from '../../../capacity/src/load/k6.js';
import { burstPlan, phasesOf, type BurstOptions } from '../../../capacity/src/plan/burst.js';
import type { BurstPlan } from '../../../capacity/src/model/plan.js';
import { expectRefused } from './refused.js';

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

test('requests that stand for schedules are not held back by the overload protection, where the run deploys the chart', () => {
  const cron = { spike: undefined, for: undefined, cron: '500' };
  expect(burst(cron).values.set.join()).toContain('overload.enabled=false');
  expect(burst({}).values.set).toEqual([]);
  expect(burstPlan({ base: '1/s', ...TIMES, ...cron }, false).values.set).toEqual([]);
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
  expect(buildScriptEnvironment({ ...step, folder: '', csv: '' })).toMatchObject({
    MODEL: 'open',
    RATES: '1,500,1',
    DURATIONS: '20s,1s,70s',
    K6_NO_CONNECTION_REUSE: 'true',
  });
});

test.each<[Partial<BurstOptions>, string[]]>([
  [{ spike: undefined }, ['--spike', '--for']],
  [{ for: undefined }, ['--spike', '--for']],
  [{ cron: '500' }, ['--cron', '--spike']],
  [{ cron: '500', spike: undefined }, ['--cron', '--for']],
  [{ cron: '5', spike: undefined, for: undefined }, ['--cron', '"5"', '20 to 10000']],
  [{ spike: '1/s' }, ['--spike', '1/s']],
  [{ spike: '2/s', for: '5s' }, ['--for', '2/s', '--for 10s']],
  [{ for: '500ms' }, ['--for', '"500ms"', '1s to 1h']],
  [{ for: '2h' }, ['--for', '"2h"']],
  [{ base: '1/h' }, ['--base', '1/h', '20/h']],
  [{ base: 'much' }, ['--base', '"much"']],
  [{ drainWithin: '0s' }, ['--drain-within', '"0s"', '1s to 1h']],
  [{ maxRate: '10/s' }, ['--max-rate', '10/s', '20/s']],
  [{ workload: 'webhook-akc' }, ['"webhook-akc"', '"webhook-ack"']],
  [{ slo: 'p96=1s' }, ['--slo', '"p96"']],
  [{ timeout: '2s', workload: 'webhook-wait' }, ['--timeout', '2s', '5s']],
])('%j is refused', (options, parts) => expectRefused(() => burst(options), parts));
