import { soakPlan, type SoakOptions } from '../../../capacity/src/plan/soak.js';
import { expectRefused } from './refused.js';

const soak = (options: Partial<SoakOptions>) =>
  soakPlan({ rate: '10/s', duration: '2h', warmup: '3s', drain: '30s', timeout: '60s', ...options });

test('a soak is one long step at one rate', () => {
  expect(soak({})).toMatchObject({
    rates: { kind: 'soak', rate: 10, horizonSeconds: 7 * 86_400 },
    stepSeconds: 7200,
    loads: [{ name: 'webhook-ack' }],
  });
  expect(soak({ workload: 'webhook-wait', query: ['seconds=1'], duration: '72h', rate: '6/m' })).toMatchObject({
    rates: { kind: 'soak', rate: 0.1 },
    stepSeconds: 259_200,
    loads: [{ name: 'webhook-wait', serviceSeconds: { 'webhook-wait': 1 } }],
  });
});

test('the horizon may be given in days', () => {
  expect(soak({ horizon: '30d' })).toMatchObject({ rates: { horizonSeconds: 30 * 86_400 } });
});

test.each<[Partial<SoakOptions>, string[]]>([
  [{ duration: '59s' }, ['--duration', '"59s"', '1m to 72h']],
  [{ duration: '73h' }, ['--duration', '"73h"']],
  [{ duration: '2' }, ['--duration', '"2"']],
  [{ horizon: '59m' }, ['--horizon', '"59m"', '1h to 365d']],
  [{ horizon: '366d' }, ['--horizon', '"366d"', '1h to 365d']],
  [{ horizon: 'a week' }, ['--horizon', '"a week"', '7d']],
  [{ rate: '0/s' }, ['--rate', '"0/s"']],
  [{ rate: '1/m', duration: '10m' }, ['--rate', '1/m', '10m', '--duration']],
  [{ workload: 'webhook-akc' }, ['"webhook-akc"', '"webhook-ack"']],
  [{ workflow: 'order.json', mix: 'mix.yaml' }, ['--workflow', '--mix']],
  [{ workflow: 'order.json' }, ['--workflow order.json', 'does not exist']],
  [{ slo: 'p96=1s' }, ['--slo', '"p96"']],
])('a soak refuses %j', (options, parts) => expectRefused(() => soak(options), parts));
