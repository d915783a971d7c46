import { STEP_DEFAULTS } from '../../../../capacity/src/plan/times.js';
import { TRIAL_DEFAULTS, trialPlan } from '../../../../capacity/src/features/trial/plan.js';
import { trialSeconds } from '../../../../capacity/src/features/tune/budget.js';
import {
  acceptedTrades,
  readBudget,
  requireScreeningTrials,
  requestedSettings,
} from '../../../../capacity/src/features/tune/plan.js';

const OPTIONS = { ...STEP_DEFAULTS, warmup: TRIAL_DEFAULTS.warmup };

test('a budget that is too short for an answer is refused with the shortest one', () => {
  const plan = trialPlan(OPTIONS);
  expect(readBudget({ budget: '15m' }, plan)).toBe(900);
  expect(() => readBudget({ budget: '15m' }, trialPlan({ ...OPTIONS, workload: ['webhook-ack', 'code'] }))).toThrow(
    /write 24m or more/,
  );
  expect(() => readBudget({ budget: '10m' }, plan)).toThrow(/--budget: 10m .* write 15m or more/);
  expect(() => readBudget({ budget: '100s' }, plan)).toThrow(/--budget: 100s /);
  // Queue mode starts more processes.
  expect(requireScreeningTrials(1800, trialSeconds(plan, 'queue'))).toBeGreaterThan(0);
  expect(() => requireScreeningTrials(900, trialSeconds(plan, 'queue'))).toThrow(/--budget: 15m .* write 23m or more/);
});

test('only trades that are not made anyway can be accepted', () => {
  expect(acceptedTrades({})).toEqual([]);
  expect(acceptedTrades({ accept: 'durability, safety' })).toEqual(['durability', 'safety']);
  expect(() => acceptedTrades({ accept: 'memory' })).toThrow(/observability, durability, safety/);
});

test('a setting that does not exist is refused with the nearest one', () => {
  expect(requestedSettings({ setting: ['log-level'] }).map(({ id }) => id)).toEqual(['log-level']);
  expect(requestedSettings({}).length).toBeGreaterThan(30);
  expect(() => requestedSettings({ setting: ['log-levels'] })).toThrow(/log-levels.*log-level/);
});
