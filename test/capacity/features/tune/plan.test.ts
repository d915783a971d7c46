import { STEP_DEFAULTS } from '../../../../capacity/src/plan/times.js';
import { TRIAL_DEFAULTS, trialPlan } from '../../../../capacity/src/features/trial/plan.js';
import { trialSeconds } from '../../../../capacity/src/features/tune/budget.js';
import { acceptedOf, budgetOf, rowsOf, settingsAsked } from '../../../../capacity/src/features/tune/plan.js';

const OPTIONS = { ...STEP_DEFAULTS, warmup: TRIAL_DEFAULTS.warmup };

test('a budget that is too short for an answer is refused with the shortest one', () => {
  const plan = trialPlan(OPTIONS);
  expect(budgetOf({ budget: '15m' }, plan)).toBe(900);
  expect(() => budgetOf({ budget: '15m' }, trialPlan({ ...OPTIONS, workload: ['webhook-ack', 'code'] }))).toThrow(
    /write 24m or more/,
  );
  expect(() => budgetOf({ budget: '10m' }, plan)).toThrow(/--budget: 10m .* write 15m or more/);
  expect(() => budgetOf({ budget: '100s' }, plan)).toThrow(/--budget: 100s /);
  // Queue mode starts more processes.
  expect(rowsOf(1800, trialSeconds(plan, 'queue'))).toBeGreaterThan(0);
  expect(() => rowsOf(900, trialSeconds(plan, 'queue'))).toThrow(/--budget: 15m .* write 23m or more/);
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
