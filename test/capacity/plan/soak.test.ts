import { payloadLimitPlan, type PayloadLimitOptions } from '../../../capacity/src/plan/payload-limit.js';
import { soakPlan, type SoakOptions } from '../../../capacity/src/plan/soak.js';

const soak = (options: Partial<SoakOptions>) =>
  soakPlan({ rate: '10/s', duration: '2h', warmup: '3s', drain: '30s', timeout: '60s', ...options });
const ceiling = (options: Partial<PayloadLimitOptions>) =>
  payloadLimitPlan({ concurrency: '1,2,4', hold: '1s', timeout: '60s', ...options });

test('a soak is one long step at one rate', () => {
  expect(soak({})).toMatchObject({
    rates: { kind: 'soak', rate: 10 },
    stepSeconds: 7200,
    loads: [{ name: 'webhook-ack' }],
  });
  expect(soak({ workload: 'webhook-wait', query: ['seconds=1'], duration: '72h', rate: '6/m' })).toMatchObject({
    rates: { kind: 'soak', rate: 0.1 },
    stepSeconds: 259_200,
    loads: [{ name: 'webhook-wait', serviceSeconds: { 'webhook-wait': 1 } }],
  });
});

test.each<[Partial<SoakOptions>, RegExp]>([
  [{ duration: '59s' }, /--duration: 59s is not allowed; write 1m to 72h/],
  [{ duration: '73h' }, /--duration: 73h is not allowed/],
  [{ duration: '2' }, /--duration: "2" is no duration/],
  [{ rate: '0/s' }, /--rate: "0\/s" is no arrival rate/],
  [
    { rate: '1/m', duration: '10m' },
    /--rate: 1\/m gives 10 requests in 10m, and 20 are needed; lengthen the soak with --duration/,
  ],
  [{ workload: 'webhook-akc' }, /workload "webhook-akc" does not exist; did you mean "webhook-ack"/],
  [{ workflow: 'order.json', mix: 'mix.yaml' }, /--workflow and --mix exclude each other/],
  [{ workflow: 'order.json' }, /--workflow order\.json: /],
  [{ slo: 'p96=1s' }, /--slo: unknown objective/],
])('a soak refuses %j', (options, message) => {
  expect(() => soak(options)).toThrow(message);
});

test('a ceiling: tries long enough for three rounds of a hold', () => {
  expect(ceiling({})).toMatchObject({
    rates: { kind: 'payload-limit', concurrency: [1, 2, 4], minMiB: 16, maxMiB: 1024 },
    loads: [{ name: 'memory-hog', serviceSeconds: { 'memory-hog': 1 } }],
    scriptEnv: { MS: '1000' },
    stepSeconds: 5,
  });
  expect(ceiling({ hold: '4s' }).stepSeconds).toBe(12);
});

test.each<[Partial<PayloadLimitOptions>, RegExp]>([
  [{ concurrency: '0' }, /--concurrency: "0" is not allowed; write a whole number from 1 to 64/],
  [{ concurrency: '1,65' }, /--concurrency: "65"/],
  [{ concurrency: '2,2' }, /--concurrency: 2 is given twice/],
  [{ hold: '30s' }, /--hold: 30s is not allowed; write 100ms to 20s/],
  [{ timeout: '1s' }, /--timeout: 1s is not allowed/],
])('a ceiling refuses %j', (options, message) => {
  expect(() => ceiling(options)).toThrow(message);
});
