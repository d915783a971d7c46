import {
  payloadLimitPlan,
  withinLoadTarget,
  type PayloadLimitOptions,
} from '../../../capacity/src/plan/payload-limit.js';
import { expectRefused } from './refused.js';

const payloadLimit = (options: Partial<PayloadLimitOptions>) =>
  payloadLimitPlan({ concurrency: '1,2,4', hold: '1s', timeout: '60s', ...options });

test('a try is long enough for three rounds of a hold', () => {
  expect(payloadLimit({ port: '5678' })).toMatchObject({
    rates: { kind: 'payload-limit', concurrency: [1, 2, 4], minMiB: 16, maxMiB: 1024 },
    loads: [{ name: 'memory-hog', serviceSeconds: { 'memory-hog': 1 } }],
    scriptEnv: { MS: '1000' },
    stepSeconds: 5,
    warmupSeconds: 1,
    drainSeconds: 30,
    port: 5678,
  });
  expect(payloadLimit({ hold: '4s' }).stepSeconds).toBe(12);
});

test.each<[Partial<PayloadLimitOptions>, string[]]>([
  [{ concurrency: '0' }, ['--concurrency', '"0"', '1 to 64']],
  [{ concurrency: '1,65' }, ['--concurrency', '"65"']],
  [{ concurrency: '2,2' }, ['--concurrency', '2']],
  [{ hold: '30s' }, ['--hold', '"30s"', '100ms to 20s']],
  [{ timeout: '1s' }, ['--timeout', '1s']],
])('%j is refused', (options, parts) => expectRefused(() => payloadLimit(options), parts));

test('payloads stay within what the load target may hold', () => {
  const plan = payloadLimit({});
  expect(withinLoadTarget(plan, { loadTargetMegabytes: 100 }).rates).toMatchObject({ maxMiB: 100 });
  expectRefused(() => withinLoadTarget(plan, { loadTargetMegabytes: 60 }), ['--concurrency', '4', '60 MiB']);
});
