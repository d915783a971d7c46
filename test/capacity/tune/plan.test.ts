import { clientsOf } from '../../../capacity/src/judge/bounds.js';
import type { RatesOf } from '../../../capacity/src/model/plan.js';
import { STEP_DEFAULTS } from '../../../capacity/src/plan/times.js';
import { acceptedOf, budgetOf, settingsAsked, TRIAL_DEFAULTS, tunePlan } from '../../../capacity/src/tune/plan.js';

const OPTIONS = { ...STEP_DEFAULTS, warmup: TRIAL_DEFAULTS.warmup, budget: TRIAL_DEFAULTS.budget };

test('clients in a closed loop, more where answers take seconds', () => {
  const { loads, rates } = tunePlan({ ...OPTIONS, workload: ['webhook-ack', 'webhook-wait'] });
  expect(loads.map((load) => clientsOf(rates as RatesOf<'closed'>, load))).toEqual([20, 120]);
  expect(tunePlan({ ...OPTIONS, clients: '7' })).toMatchObject({
    rates: { kind: 'closed', clients: 7 },
    stepSeconds: 20,
  });
});

test('a workload that answers before its work is refused', () => {
  expect(() => tunePlan({ ...OPTIONS, workload: ['webhook-ack', 'webhook-ack-wait'] })).toThrow(
    /webhook-ack-wait: answers before/,
  );
});

test('a budget that is too short for an answer is refused with the shortest one', () => {
  const plan = tunePlan(OPTIONS);
  expect(budgetOf({ budget: '15m' }, plan)).toBe(900);
  expect(() => budgetOf({ budget: '15m' }, tunePlan({ ...OPTIONS, workload: ['webhook-ack', 'code'] }))).toThrow(
    /write 24m or more/,
  );
  expect(() => budgetOf({ budget: '10m' }, plan)).toThrow(/--budget: "10m".* write 15m or more/);
});

test('only trades that are not made anyway can be accepted', () => {
  expect(acceptedOf({})).toEqual([]);
  expect(acceptedOf({ accept: 'durability, safety' })).toEqual(['durability', 'safety']);
  expect(() => acceptedOf({ accept: 'memory' })).toThrow(/observability, durability, safety/);
});

test('a setting that does not exist is refused with the nearest one', () => {
  expect(settingsAsked({ setting: ['log-level'] }).map(({ id }) => id)).toEqual(['log-level']);
  expect(settingsAsked({}).length).toBeGreaterThan(30);
  expect(() => settingsAsked({ setting: ['log-levels'] })).toThrow(/log-levels.*log-level/);
});
