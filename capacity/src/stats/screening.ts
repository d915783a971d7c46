import { seededRandom, type Random } from './random.js';

/** A column of the design: for each row a level from 0, and the centred indicator of each level above 0. */
interface Column {
  levels: number;
  rows: number[];
  contrasts: number[][];
}

/**
 * Rows of a screening design: for each row the level of each factor, where 0 is the baseline. A factor of k levels has each in
 * 1/k of the rows, as nearly as whole rows allow. A factor of two levels is folded over: the second half of the rows has the
 * opposite levels of the first. So interactions between factors do not bias their effects. Source: Box, Hunter and Hunter,
 * Statistics for Experimenters, 2005, chapter 6. Exchanges make the correlations between factors small (Booth and Cox,
 * Technometrics 4, 1962). The remaining correlations widen the intervals but do not bias the effects.
 * @param levels number of levels of each factor, 2 or more
 * @param rows an even number; 2.5 times the number of levels above 0 are enough for nearly uncorrelated factors
 * @param seed the same seed gives the same rows
 * @throws RangeError for an odd number of rows, or fewer than there are levels
 */
export function createScreeningDesign(levels: number[], rows: number, seed: number): number[][] {
  if (rows % 2 !== 0 || rows < Math.max(...levels)) throw new RangeError(`${rows} rows: give an even number of them`);
  const random = seededRandom(seed);
  const columns = levels.map((count) => drawColumn(count, rows, random));
  let isBetter = true;
  for (let pass = 0; isBetter && pass < MAX_PASSES; pass++)
    isBetter = columns.map((column) => improveColumn(column, columns)).some(Boolean);
  return Array.from({ length: rows }, (_, row) => columns.map((column) => column.rows[row]!));
}

/** Passes of exchanges at most; usually a few suffice. */
const MAX_PASSES = 20;
/** Gain below which an exchange is a rounding error. */
const MIN_GAIN = 1e-9;

function drawColumn(levels: number, rows: number, random: Random): Column {
  const half = rows / 2;
  const first = shuffle(
    Array.from({ length: levels === 2 ? half : rows }, (_, i) => i % levels),
    random,
  );
  const column = { levels, rows: levels === 2 ? [...first, ...first.map((level) => 1 - level)] : first };
  return { ...column, contrasts: buildContrasts(column) };
}

const buildContrasts = ({ levels, rows }: Omit<Column, 'contrasts'>): number[][] =>
  Array.from({ length: levels - 1 }, (_, i) => rows.map((level) => Number(level === i + 1) - 1 / levels));

function shuffle(values: number[], random: Random): number[] {
  return values
    .map((value) => ({ value, order: random.uniform() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}

/** Exchanges levels of a column if that reduces its correlations with the others. Returns whether any exchange did. */
function improveColumn(column: Column, all: Column[]): boolean {
  const others = all.filter((other) => other !== column).flatMap(({ contrasts }) => contrasts);
  let products = column.contrasts.map((one) => others.map((other) => innerProduct(one, other)));
  let isBetter = false;
  for (const [i, j] of possibleExchanges(column)) {
    const then = column.contrasts.map((one, k) =>
      others.map((other, m) => products[k]![m]! + (one[j]! - one[i]!) * (other[i]! - other[j]!)),
    );
    if (totalCorrelation(then) >= totalCorrelation(products) - MIN_GAIN) continue;
    products = then;
    for (const values of [column.rows, ...column.contrasts]) [values[i], values[j]] = [values[j]!, values[i]!];
    isBetter = true;
  }
  return isBetter;
}

/** The sum of squared products of contrasts: 0 if no factor is correlated with another. */
const totalCorrelation = (products: number[][]): number => products.flat().reduce((sum, value) => sum + value ** 2, 0);

const innerProduct = (a: number[], b: number[]): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

/** Pairs of rows whose levels may be exchanged; in a folded column, each row and its mirror image. */
function* possibleExchanges({ levels, rows }: Column): Generator<[number, number]> {
  const half = rows.length / 2;
  if (levels === 2) for (let i = 0; i < half; i++) yield [i, i + half];
  else
    for (let i = 0; i < rows.length; i++)
      for (let j = i + 1; j < rows.length; j++) if (rows[i] !== rows[j]) yield [i, j];
}
