import { buildPlan, type PlanRequest } from '../../../capacity/src/plan/plan.js';
import { expectRefused } from './refused.js';

/** What a caller without flags or files asks for: nothing in it is text to parse. */
const request: PlanRequest = {
  values: { files: [], set: [] },
  loads: [
    {
      name: 'webhook-wait',
      parts: [{ workload: 'webhook-wait', weight: 1 }],
      serviceSeconds: { 'webhook-wait': 5 },
      executionSeconds: { 'webhook-wait': 5 },
    },
  ],
  scriptEnv: { SECONDS: '5' },
  rates: { kind: 'rates', rates: [5, 10] },
  slo: { p95: 0.8, errors: 0.01 },
  arrivals: { kind: 'poisson', seed: 1 },
  warmupSeconds: 3,
  drainSeconds: 30,
  timeoutSeconds: 60,
  named: (option) => `<${option}>`,
};

test('a plan is its request, with the length of a step', () => {
  const { named: _, ...asked } = request;
  // 299 requests without a failure claim 1 % of errors: 60 s at 5/s.
  expect(buildPlan(request)).toEqual({ ...asked, overload: false, stepSeconds: 60 });
  expect(buildPlan({ ...request, stepSeconds: 30, port: 5678 })).toEqual({
    ...asked,
    overload: false,
    stepSeconds: 30,
    port: 5678,
  });
});

test('a soak and a burst may last longer than a step', () => {
  const soak = buildPlan({
    ...request,
    rates: { kind: 'soak', rate: 0.1, horizonSeconds: 3600 },
    stepSeconds: 72 * 3600,
  });
  expect(soak).toMatchObject({ rates: { kind: 'soak', rate: 0.1 }, stepSeconds: 259_200 });
});

test.each<[string, Partial<PlanRequest>, string[]]>([
  ['a timeout below the service time', { timeoutSeconds: 5 }, ['<timeout>', '5s']],
  ['a rate above the guard', { maxRate: 8 }, ['<maxRate>', '8/s', '10/s']],
  ['a guard on clients', { maxRate: 8, rates: { kind: 'closed', clients: 4 } }, ['<clients>', '<maxRate>']],
  [
    'too few requests',
    { rates: { kind: 'rates', rates: [1] }, stepSeconds: 10 },
    ['<rates>', '1/s', '<stepDuration> 20s'],
  ],
])('refuses %s, and names it as the request does', (_, change, parts) =>
  expectRefused(() => buildPlan({ ...request, ...change }), parts),
);
