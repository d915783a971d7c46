import { countClients } from '../../../../capacity/src/judge/bounds.js';
import type { RatesOf } from '../../../../capacity/src/model/plan.js';
import { STEP_DEFAULTS } from '../../../../capacity/src/plan/times.js';
import { TRIAL_DEFAULTS, trialPlan } from '../../../../capacity/src/features/trial/plan.js';

const OPTIONS = { ...STEP_DEFAULTS, warmup: TRIAL_DEFAULTS.warmup };

test('clients in a closed loop, more where answers take seconds', () => {
  const { loads, rates } = trialPlan({ ...OPTIONS, workload: ['webhook-ack', 'webhook-wait'] });
  expect(loads.map((load) => countClients(rates as RatesOf<'closed'>, load))).toEqual([20, 120]);
  expect(trialPlan({ ...OPTIONS, clients: '7' })).toMatchObject({
    rates: { kind: 'closed', clients: 7 },
    stepSeconds: 20,
  });
});

test('a workload that answers before its work is refused', () => {
  expect(() => trialPlan({ ...OPTIONS, workload: ['webhook-ack', 'webhook-ack-wait'] })).toThrow(
    /webhook-ack-wait: answers before/,
  );
});
