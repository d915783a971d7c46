import { lowerBound95, percentile, upperBound95 } from '../../../capacity/src/stats/intervals.js';

describe('upperBound95', () => {
  test.each([
    // failures, trials, bound: 1 - 0.05^(1/n) without failures (the rule of three), else the binomial's own quantile
    [0, 300, 1 - 0.05 ** (1 / 300)],
    [0, 30, 1 - 0.05 ** (1 / 30)],
    [1, 100, 0.04656],
    [5, 100, 0.10225],
  ])('%i of %i', (failures, trials, bound) => {
    expect(upperBound95(failures, trials)).toBeCloseTo(bound, 4);
  });

  test('is 1 without trials or if all failed', () => {
    expect(upperBound95(0, 0)).toBe(1);
    expect(upperBound95(7, 7)).toBe(1);
  });
});

test.each([
  // The lower bound is the upper one of what succeeded: 1 - upperBound95(trials - failures, trials).
  [5, 100],
  [1, 20],
  [20, 20],
])('lowerBound95 of %i of %i', (failures, trials) => {
  expect(lowerBound95(failures, trials)).toBeCloseTo(1 - upperBound95(trials - failures, trials), 9);
});

test('lowerBound95 is 0 without a failure', () => expect(lowerBound95(0, 100)).toBe(0));

describe('percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
  test.each([
    [hundred, 0.5, 50],
    [hundred, 0.95, 95],
    [hundred, 0.99, 99],
    [[1, 2, 3], 0.99, 3],
    [[7], 0.5, 7],
  ])('of a series at %#', (series, p, value) => expect(percentile(series, p)).toBe(value));

  test('of an empty series is NaN', () => expect(percentile([], 0.5)).toBeNaN());
});
