import { seededRandom } from '../../../capacity/src/stats/random.js';
import { estimateTrend } from '../../../capacity/src/stats/trend.js';

describe('trend', () => {
  test('finds a slope that one outlier does not hide', () => {
    const series = [0, 1, 2, 3, 400, 5, 6, 7, 8, 9];
    const { slope, pValue } = estimateTrend(series);
    expect(slope).toBeCloseTo(1, 1);
    expect(pValue).toBeLessThan(0.01);
  });

  test.each([[[5, 5, 5, 5, 5, 5]], [[3, 1, 4, 1, 5, 9, 2, 6, 5, 3]], [[1, 2, 3]]])('finds none in %j', (series) => {
    expect(estimateTrend(series).pValue).toBeGreaterThan(0.01);
  });

  test('mistakes the fluctuation of a queue for a trend less than half as often as a test that assumes independent seconds', () => {
    const random = seededRandom(7);
    /** Each value is most of the one before: stationary, without a trend. */
    const wandering = () => {
      let value = 0;
      return Array.from({ length: 50 }, () => (value = 0.8 * value + random.normal()));
    };
    const found = Array.from({ length: 400 }, wandering).filter((series) => estimateTrend(series).pValue < 0.01);
    // The variance of the uncorrected test is about 9 times too small here: P(|Z| > 2.58 / 3) = 0.39.
    expect(found.length / 400).toBeLessThan(0.39 / 2);
  });
});
