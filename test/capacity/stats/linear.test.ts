import { fitLine, studentT95 } from '../../../capacity/src/stats/linear.js';
import { seededRandom } from '../../../capacity/src/stats/random.js';

const points = (ys: number[], xs = ys.map((_, i) => i + 1)) => ys.map((y, i) => ({ x: xs[i]!, y, weight: 1 }));

test.each([
  [1, 12.706],
  [3, 3.182],
  [10, 2.228],
  [120, 1.98],
])('studentT with %d degrees of freedom equals the published table', (freedom, t) =>
  expect(studentT95(freedom)).toBeCloseTo(t, 2),
);

test('fitLine recovers the line through exact points', () => {
  expect(fitLine(points([3, 5, 7, 9]))).toMatchObject({ intercept: expect.closeTo(1), slope: expect.closeTo(2) });
});

test('fitLine keeps an intercept below 0 at 0, and a falling line at its mean', () => {
  expect(fitLine(points([1, 3, 5]))).toMatchObject({ intercept: 0, slope: expect.closeTo(22 / 14) });
  expect(fitLine(points([5, 4, 3]))).toMatchObject({ intercept: expect.closeTo(4), slope: 0 });
});

test('a weight counts like repeated points', () => {
  const heavy = fitLine([...points([1, 3]), { x: 3, y: 4, weight: 2 }])!;
  const twice = fitLine([...points([1, 3]), ...points([4, 4], [3, 3])])!;
  expect(heavy.slope).toBeCloseTo(twice.slope);
  expect(heavy.intercept).toBeCloseTo(twice.intercept);
});

test('fitLine needs two different x for a slope and three points for an interval', () => {
  expect(fitLine(points([1, 2], [3, 3]))).toBeUndefined();
  expect(fitLine(points([2, 3]))).not.toHaveProperty('slopeError');
});

test.each([3, 4, 6])('the interval of %d points contains the true slope in 95 of 100 cases', (n) => {
  const random = seededRandom(n);
  const runs = 2000;
  let held = 0;
  for (let i = 0; i < runs; i++) {
    const { slope, slopeError } = fitLine(
      points(Array.from({ length: n }, (_, k) => 10 + 2 * (k + 1) + random.normal())),
    )!;
    if (Math.abs(slope - 2) <= slopeError!) held++;
  }
  expect(held / runs).toBeGreaterThan(0.935);
  expect(held / runs).toBeLessThan(0.965);
});
