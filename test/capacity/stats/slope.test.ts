import { seededRandom } from '../../../capacity/src/stats/random.js';
import { estimateSlopeInterval } from '../../../capacity/src/stats/slope.js';

const places = (n: number) => Array.from({ length: n }, (_, i) => i);
const Z = 1.96;

/** A series without a slope: each value is a share of the one before, plus noise. */
function autocorrelatedSeries(n: number, share: number, seed: number): number[] {
  const random = seededRandom(seed);
  let value = random.normal() / Math.sqrt(1 - share ** 2);
  return places(n).map(() => (value = share * value + random.normal()));
}

test('estimateSlopeInterval returns the slope of an exact line', () => {
  const { slope, low, high } = estimateSlopeInterval([1, 3, 5, 7, 9, 11, 13, 15], places(8), Z);
  expect([slope, low, high]).toEqual([2, 2, 2]);
});

test('one outlier does not move the slope', () => {
  const series = places(20).map((i) => (i === 7 ? 1000 : i + 0.1 * (i % 3)));
  expect(estimateSlopeInterval(series, places(20), Z).slope).toBeCloseTo(1, 1);
});

test('a series that is too short has infinite bounds', () => {
  expect(estimateSlopeInterval([1, 2, 3], places(3), Z)).toEqual({ slope: 0, low: -Infinity, high: Infinity });
  expect(estimateSlopeInterval([1, 2, 3, 5, 8, 13], places(6), 2.9)).toMatchObject({ low: -Infinity, high: Infinity });
});

/** In 600 series, at most 6 % miss a bound of 2.5 %, even if each value keeps most of the one before. */
test.each([
  [20, 0],
  [20, 0.3],
  [20, 0.6],
  [40, 0],
  [40, 0.6],
  [40, 0.8],
])('for %i values with autocorrelation %d, few intervals have a bound on the wrong side of the slope', (n, share) => {
  const intervals = places(600).map((seed) =>
    estimateSlopeInterval(autocorrelatedSeries(n, share, seed + 1), places(n), Z),
  );
  expect(intervals.filter((i) => i.high < 0).length / 600).toBeLessThanOrEqual(0.06);
  expect(intervals.filter((i) => i.low > 0).length / 600).toBeLessThanOrEqual(0.06);
  if (share === 0) expect(intervals.filter((i) => i.high < Infinity).length).toBeGreaterThan(590);
});
