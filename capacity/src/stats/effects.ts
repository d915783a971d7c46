import { inverse, Matrix } from 'ml-matrix';
import { sum } from 'simple-statistics';
import { studentT95 } from './linear.js';

/** What was measured with some factors on their other level. */
export interface Trial {
  levels: boolean[];
  /** Above 0. */
  value: number;
}

/** By which factor a level changes a value, and its 95 % interval. */
export interface Effect {
  ratio: number;
  least: number;
  most: number;
}

/**
 * The effect of each factor, by least squares on the logarithms: effects multiply. A steady change of the machine's speed
 * over the trials is taken out (Box, Hunter and Hunter, Statistics for Experimenters, 2005, chapters 5 and 7; intervals by
 * Student's t).
 * @param trials in the order of measuring
 * @returns undefined for a factor whose effect these trials do not tell
 */
export function effectsOf(trials: Trial[]): (Effect | undefined)[] {
  const factors = trials[0]?.levels.length ?? 0;
  const told = Array.from({ length: factors }, (_, j) => j).filter((j) =>
    [true, false].every((level) => trials.some((t) => t.levels[j] === level)),
  );
  const last = Math.max(1, trials.length - 1);
  const rows = trials.map(({ levels }, i) => [1, (2 * i) / last - 1, ...told.map((j) => (levels[j] ? 1 : -1))]);
  const freedom = rows.length - (told.length + 2);
  if (freedom < 1) return Array.from({ length: factors }, () => undefined);
  const x = new Matrix(rows);
  const spread = inverse(x.transpose().mmul(x));
  const y = trials.map((t) => Math.log(t.value));
  const fitted = spread.mmul(x.transpose()).mmul(Matrix.columnVector(y)).to1DArray();
  const residuals = rows.map((row, i) => y[i]! - sum(row.map((value, k) => value * fitted[k]!)));
  const variance = sum(residuals.map((r) => r ** 2)) / freedom;
  return Array.from({ length: factors }, (_, j): Effect | undefined => {
    const column = told.indexOf(j) + 2;
    if (column < 2) return undefined;
    const half = studentT95(freedom) * Math.sqrt(variance * spread.get(column, column));
    const [least, ratio, most] = [-half, 0, half].map((by) => Math.exp(2 * (fitted[column]! + by)));
    return { ratio: ratio!, least: least!, most: most! };
  });
}
