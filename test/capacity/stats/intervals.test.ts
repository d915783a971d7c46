import { seededRandom } from '../../../capacity/src/stats/random.js';
import { lowerBound95, percentile, trend, upperBound95 } from '../../../capacity/src/stats/intervals.js';

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

  test('claims nothing without trials, nor when all failed', () => {
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

test('lowerBound95 claims nothing without a failure', () => expect(lowerBound95(0, 100)).toBe(0));

describe('percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
  test.each([
    [hundred, 0.5, 50],
    [hundred, 0.95, 95],
    [hundred, 0.99, 99],
    [[1, 2, 3], 0.99, 3],
    [[7], 0.5, 7],
  ])('of a series at %#', (series, p, value) => expect(percentile(series, p)).toBe(value));

  test('of nothing is no number', () => expect(percentile([], 0.5)).toBeNaN());
});

describe('trend', () => {
  test('finds a slope that one outlier does not hide', () => {
    const series = [0, 1, 2, 3, 400, 5, 6, 7, 8, 9];
    const { slope, pValue } = trend(series);
    expect(slope).toBeCloseTo(1, 1);
    expect(pValue).toBeLessThan(0.01);
  });

  test.each([[[5, 5, 5, 5, 5, 5]], [[3, 1, 4, 1, 5, 9, 2, 6, 5, 3]], [[1, 2, 3]]])('finds none in %j', (series) => {
    expect(trend(series).pValue).toBeGreaterThan(0.01);
  });

  test('takes the wandering of a queue for a trend less than half as often as if seconds were independent', () => {
    const random = seededRandom(7);
    /** Each value is most of the one before: stationary, without a trend. */
    const wandering = () => {
      let value = 0;
      return Array.from({ length: 50 }, () => (value = 0.8 * value + random.normal()));
    };
    const found = Array.from({ length: 400 }, wandering).filter((series) => trend(series).pValue < 0.01);
    // By the variance of the uncorrected test, about 9 times too small here: P(|Z| > 2.58 / 3) = 0.39.
    expect(found.length / 400).toBeLessThan(0.39 / 2);
  });
});
