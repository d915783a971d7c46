import { leastBudget, mostChanges, openConfirmation, screeningRows } from '../../../capacity/src/tune/schedule.js';
import { changeOf } from './trials.js';

const CHANGES = Array.from({ length: 7 }, (_, i) => changeOf(`s${i}`));

test('the budget says how many changes are screened', () => {
  expect([mostChanges(leastBudget(58), 58), mostChanges(leastBudget(58) - 1, 58)]).toEqual([3, 0]);
  expect([20, 45, 90].map((minutes) => mostChanges(minutes * 60, 58))).toEqual([3, 23, 39]);
});

test('the order of the trials is random, and the same for the same seed', () => {
  const ids = (seed: number) => screeningRows(CHANGES, seed).map((trial) => trial.map(({ id }) => id).join());
  expect(ids(1)).toEqual(ids(1));
  expect(ids(1)).not.toEqual(ids(2));
  expect(ids(1).toSorted()).toEqual(ids(2).toSorted());
});

test('the confirmation begins and ends with the baseline, and has as many of both', () => {
  const lengths = openConfirmation(CHANGES, []).map(({ changes }) => changes.length);
  expect(lengths).toEqual([0, 7, 7, 0, 0, 7, 7, 0]);
});
