import type { TrialRecord } from '../../../../capacity/src/features/tune/record.js';
import {
  confirmationTrials,
  leastBudget,
  LATENCY_TRIALS,
  latencyTrials,
  mostChanges,
  screeningTrialsWithin,
} from '../../../../capacity/src/features/tune/budget.js';
import { openConfirmation, openLatency, planScreening } from '../../../../capacity/src/features/tune/schedule.js';
import { changeOf, TRIAL_SECONDS, tuneRecord } from './trials.js';

const CHANGES = Array.from({ length: 7 }, (_, i) => changeOf(`s${i}`));
const trial = (stage: TrialRecord['stage'], index: number, over: Partial<TrialRecord> = {}): TrialRecord => ({
  ...{ index, stage, row: index, changes: [], perSecond: 60, tookSeconds: TRIAL_SECONDS },
  ...over,
});
const trials = (stage: TrialRecord['stage'], count: number) =>
  Array.from({ length: count }, (_, i) => trial(stage, i, { changes: i % 2 ? ['s0'] : [] }));

test('the trials of the screening follow the budget, and so do the changes that are tried', () => {
  expect([screeningTrialsWithin(leastBudget(58), 58), screeningTrialsWithin(leastBudget(58) - 1, 58)]).toEqual([12, 0]);
  const rows = [20, 45, 90, 240].map((minutes) => screeningTrialsWithin(minutes * 60, 43));
  expect(rows).toEqual([18, 42, 84, 96]);
  expect(rows.map(mostChanges)).toEqual([7, 16, 33, 38]);
});

test('the shortest budget for so many changes has time for them, and one second less has not', () => {
  const most = (budget: number) => mostChanges(screeningTrialsWithin(budget, 58));
  for (const changes of [1, 5, 10, 24, 38]) {
    const least = leastBudget(58, changes);
    expect(most(least)).toBeGreaterThanOrEqual(changes);
    expect(most(least - 1)).toBeLessThan(changes);
  }
  expect(leastBudget(58, 39)).toBe(Infinity);
});

test('each change stands in half of the trials, and of n that exclude each other each in one of n + 1', () => {
  const pool = ['a', 'b'].map((id) => changeOf(id, 'pool'));
  const engine = { ...changeOf('legacy', 'engine'), group: 'workers' };
  const workers = ['5', '20'].map((id) => changeOf(id, 'workers'));
  const changes = [...CHANGES, ...pool, ...workers, engine];
  const planned = planScreening(changes, 48, 1);
  const count = (id: string) => planned.filter((row) => row.some((change) => change.id === id)).length;
  expect(planned).toHaveLength(48);
  expect(CHANGES.map(({ id }) => count(id))).toEqual(CHANGES.map(() => 24));
  expect(['a', 'b'].map(count)).toEqual([16, 16]);
  expect(['5', '20', 'legacy'].map(count)).toEqual([12, 12, 12]);
  for (const names of [
    ['a', 'b'],
    ['5', '20', 'legacy'],
  ])
    expect(planned.every((row) => row.filter(({ id }) => names.includes(id)).length <= 1)).toBe(true);
});

test('the order of the trials is random, and the same for the same seed', () => {
  const ids = (seed: number) => planScreening(CHANGES, 20, seed).map((row) => row.map(({ id }) => id).join());
  expect(ids(1)).toEqual(ids(1));
  expect(ids(1)).not.toEqual(ids(2));
});

test('the confirmation begins and ends with the baseline, has as many of both, and takes the rest of the budget', () => {
  const record = tuneRecord(CHANGES, 2700);
  const screened = trials('screening', record.rows.length);
  expect(record.rows).toHaveLength(44);
  const planned = openConfirmation(record, CHANGES, screened);
  expect(planned.map(({ changes }) => changes.length > 0)).toEqual(
    Array.from({ length: 20 }, (_, i) => [false, true, true, false][i % 4]),
  );
  // Trials that were quicker than planned leave more.
  const quick = screened.map((t) => ({ ...t, tookSeconds: 30 }));
  expect(confirmationTrials(record, quick)).toBe(36);
  const slow = screened.map((t) => ({ ...t, tookSeconds: 90 }));
  expect(confirmationTrials(record, slow)).toBe(8);
  expect(confirmationTrials({ ...record, confirmations: 20 }, quick)).toBe(20);
});

test('latencies are compared at half of the lower throughput, if there is time', () => {
  const whole = tuneRecord(CHANGES, 2700);
  const record = { ...whole, plan: { ...whole.plan, warmupSeconds: 5, stepSeconds: 20 } };
  const [screened, confirming] = [trials('screening', 40), trials('confirmation', 16)];
  const measured = [...screened, ...confirming.map((t) => ({ ...t, perSecond: t.changes.length > 0 ? 90 : 64 }))];
  const planned = openLatency(record, CHANGES, measured);
  expect(planned.map(({ rate }) => rate)).toEqual(Array(LATENCY_TRIALS).fill(32));
  // Its own trials, which take longer, do not end it half way.
  const begun = [...measured, trial('latency', 0, { tookSeconds: 600 })];
  expect(openLatency(record, CHANGES, begun)).toHaveLength(LATENCY_TRIALS - 1);
  expect(latencyTrials({ ...record, budgetSeconds: 2500 }, measured, 32)).toBe(0);
  // At one arrival a second, 200 requests take longer than what is left.
  expect(latencyTrials(record, measured, 1)).toBe(0);
});
