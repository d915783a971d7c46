import { inverse, Matrix } from 'ml-matrix';
import { sum } from 'simple-statistics';
import { studentT, studentT95 } from './linear.js';

/** A measured value, and for each factor whether it had its other level. */
export interface Trial {
  levels: boolean[];
  /** Above 0. */
  value: number;
}

/** The ratio by which the other level changes a value, and the interval of that ratio. */
interface Effect {
  ratio: number;
  least: number;
  most: number;
}

/** How much trials of the same levels differ: the standard deviation of the logarithms, and the degrees of freedom behind it. */
export interface Spread {
  deviation: number;
  freedom: number;
}

/** Default confidence of an interval. */
const CONFIDENCE = 0.95;
/** The confidence that each of several intervals needs for all of them to hold together at 95 % (Bonferroni). */
export const bonferroniConfidence = (intervals: number): number => 1 - (1 - CONFIDENCE) / intervals;

/**
 * The effect of each factor, by least squares on the logarithms, because effects multiply. A steady drift of the machine's speed
 * over the trials is subtracted (Box, Hunter and Hunter, Statistics for Experimenters, 2005, chapters 5 and 7). Intervals are
 * Student's t.
 * @param trials in the order of measuring
 * @param confidence of the intervals, above 0, below 1
 * @returns undefined for a factor whose effect cannot be estimated from these trials
 */
export function estimateEffects(trials: Trial[], confidence = CONFIDENCE): (Effect | undefined)[] {
  const factors = trials[0]?.levels.length ?? 0;
  const fit = fitEffects(trials);
  return Array.from({ length: factors }, (_, j): Effect | undefined => {
    const column = fit?.columns.indexOf(j) ?? -1;
    if (!fit || column < 0) return undefined;
    const { coefficient, unit } = fit.of(column);
    const half = studentT(fit.freedom, confidence) * fit.deviation * unit;
    const [least, ratio, most] = [-half, 0, half].map((by) => Math.exp(coefficient + by));
    return { ratio: ratio!, least: least!, most: most! };
  });
}

/** How much trials of the same levels differ; undefined if that cannot be estimated from these trials. */
export function estimateSpread(trials: Trial[]): Spread | undefined {
  const fit = fitEffects(trials);
  return fit && { deviation: fit.deviation, freedom: fit.freedom };
}

/** 80 % quantile of the standard normal. */
const NORMAL_QUANTILE_80 = 0.8416;

/**
 * The smallest effect that a comparison of two levels detects in four of five runs. Detected means that the 95 % interval
 * excludes a ratio of 1.
 * @param trials of both levels together, above 3
 * @returns as a share, such as 0.1
 */
export function smallestDetectableEffect({ deviation }: Pick<Spread, 'deviation'>, trials: number): number {
  const error = (2 * deviation) / Math.sqrt(trials);
  return Math.exp((studentT95(trials - 3) + NORMAL_QUANTILE_80) * error) - 1;
}

interface Fit extends Spread {
  /** Indices of the factors that have both levels. */
  columns: number[];
  /** The effect of a column, and its standard error for a deviation of 1. */
  of(column: number): { coefficient: number; unit: number };
}

/** Fits the effects. Undefined if there are no more trials than unknowns, or two factors never differ. */
function fitEffects(trials: Trial[]): Fit | undefined {
  const factors = trials[0]?.levels.length ?? 0;
  const columns = Array.from({ length: factors }, (_, j) => j).filter((j) =>
    [true, false].every((level) => trials.some((t) => t.levels[j] === level)),
  );
  const last = Math.max(1, trials.length - 1);
  const rows = trials.map(({ levels }, i) => [1, (2 * i) / last - 1, ...columns.map((j) => Number(levels[j]))]);
  const freedom = rows.length - (columns.length + 2);
  if (freedom < 1) return undefined;
  const x = new Matrix(rows);
  const products = x.transpose().mmul(x);
  const spread = invertMatrix(products);
  if (!spread) return undefined;
  const y = trials.map((t) => Math.log(t.value));
  const coefficients = spread.mmul(x.transpose()).mmul(Matrix.columnVector(y)).to1DArray();
  const residuals = rows.map((row, i) => y[i]! - sum(row.map((value, k) => value * coefficients[k]!)));
  return {
    columns,
    freedom,
    deviation: Math.sqrt(sum(residuals.map((r) => r ** 2)) / freedom),
    of: (column) => ({
      coefficient: coefficients[column + 2]!,
      unit: Math.sqrt(spread.get(column + 2, column + 2)),
    }),
  };
}

/** The inverse of a matrix; undefined if it is singular, as with two factors that have the same level in every trial. */
function invertMatrix(products: Matrix): Matrix | undefined {
  try {
    return inverse(products);
  } catch {
    return undefined;
  }
}
