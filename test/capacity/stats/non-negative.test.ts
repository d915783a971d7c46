import fc from 'fast-check';
import { nonNegativeLeastSquares } from '../../../capacity/src/stats/non-negative.js';

const residual = (columns: number[][], target: number[], coefficients: number[]) =>
  target.reduce((sum, t, i) => sum + (t - columns.reduce((s, c, j) => s + c[i]! * coefficients[j]!, 0)) ** 2, 0);

test.each<[string, number[][], number[], number[]]>([
  [
    'an exact sum',
    [
      [1, 1, 1],
      [0, 1, 2],
    ],
    [3, 5, 7],
    [3, 2],
  ],
  [
    'a slope that would be negative',
    [
      [1, 1, 1],
      [0, 1, 2],
    ],
    [7, 5, 3],
    [5, 0],
  ],
  ['a target that no column helps', [[1, 1]], [-1, -2], [0]],
  [
    'columns that depend on each other',
    [
      [1, 1],
      [2, 2],
    ],
    [4, 4],
    [0, 2],
  ],
])('%s', (_, columns, target, expected) => {
  nonNegativeLeastSquares(columns, target).forEach((c, i) => expect(c).toBeCloseTo(expected[i]!, 9));
});

test('no other non-negative coefficients leave a smaller residual', () => {
  const value = fc.double({ min: -10, max: 10, noNaN: true });
  const column = fc.array(value, { minLength: 5, maxLength: 5 });
  const coefficients = fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(column, { minLength: 3, maxLength: 3 }), column, coefficients, (columns, target, other) => {
      const found = nonNegativeLeastSquares(columns, target);
      expect(found.every((c) => c >= 0)).toBe(true);
      expect(residual(columns, target, found)).toBeLessThanOrEqual(residual(columns, target, other) + 1e-6);
    }),
  );
});
