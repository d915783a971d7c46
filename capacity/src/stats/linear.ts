import { sum } from 'simple-statistics';
import { betaQuantile } from './beta.js';
import { nonNegativeLeastSquares } from './non-negative.js';

/** A point of a line; its weight is the inverse of its variance, up to a factor. */
export interface LinePoint {
  x: number;
  y: number;
  weight: number;
}

/** A line through points, with intercept and slope of at least 0. */
export interface Line {
  intercept: number;
  slope: number;
  /** Half the width of the slope's 95 % interval; undefined with too few points to estimate it. */
  slopeError?: number;
}

/**
 * The line y = a + b x with a, b ≥ 0 by weighted least squares, and Student's t interval of b. Source: Draper and Smith, Applied
 * Regression Analysis, 1998, chapters 1 and 9. An intercept that the bound keeps at 0 is not estimated, so it takes no degree
 * of freedom.
 * @returns undefined with fewer than 2 different x
 */
export function fitLine(points: LinePoint[]): Line | undefined {
  if (new Set(points.map((p) => p.x)).size < 2) return undefined;
  const root = points.map((p) => Math.sqrt(p.weight));
  const [intercept, slope] = nonNegativeLeastSquares(
    [root, points.map((p, i) => p.x * root[i]!)],
    points.map((p, i) => p.y * root[i]!),
  ) as [number, number];
  const freedom = points.length - (intercept > 0 ? 2 : 1);
  if (freedom < 1) return { intercept, slope };
  const residual = sum(points.map((p) => p.weight * (p.y - intercept - slope * p.x) ** 2));
  const centre = intercept > 0 ? sum(points.map((p) => p.weight * p.x)) / sum(points.map((p) => p.weight)) : 0;
  const spread = sum(points.map((p) => p.weight * (p.x - centre) ** 2));
  return { intercept, slope, slopeError: studentT95(freedom) * Math.sqrt(residual / freedom / spread) };
}

/** The value of a line. */
export const lineValueAt = ({ intercept, slope }: Pick<Line, 'intercept' | 'slope'>, x: number): number =>
  intercept + slope * x;

/**
 * Half the width of a Student's t interval, in standard errors: at 95 %, the 97.5 % quantile. With T of ν degrees of freedom,
 * ν ÷ (ν + T²) has a beta distribution with ν/2 and 1/2. Source: Johnson, Kotz and Balakrishnan, Continuous Univariate
 * Distributions 2, 1995, chapter 28.
 * @param freedom degrees of freedom, 1 or more
 * @param confidence above 0, below 1
 */
export function studentT(freedom: number, confidence: number): number {
  const share = betaQuantile(1 - confidence, freedom / 2, 0.5);
  return Math.sqrt(freedom * (1 / share - 1));
}

/** Half the width of a 95 % interval, in standard errors. */
export const studentT95 = (freedom: number): number => studentT(freedom, 0.95);
