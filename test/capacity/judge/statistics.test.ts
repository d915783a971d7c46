import { percentile, trend, upperBound95 } from '../../../capacity/src/judge/statistics.js';

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
});
