/**
 * Least squares with coefficients of at least 0 (Lawson and Hanson 1974, chapter 23). It tries all subsets of columns. The best
 * one has a non-negative unconstrained solution with the smallest residual. The problem is convex, so this is the global
 * minimum. Work grows as 2^columns: use it for a few columns only.
 * @param columns at least one, of equal length; they may be linearly dependent
 * @returns one coefficient per column; all 0 if no column helps
 */
export function nonNegativeLeastSquares(columns: number[][], target: number[]): number[] {
  let best = { coefficients: columns.map(() => 0), residual: dotProduct(target, target) };
  const all = 2 ** columns.length - 1;
  for (let subset = all; subset > 0; subset--) {
    const used = columns.flatMap((_, i) => (subset & (1 << i) ? [i] : []));
    const solved = leastSquares(
      used.map((i) => columns[i]!),
      target,
    );
    if (!solved || solved.coefficients.some((c) => c < 0) || solved.residual >= best.residual) continue;
    const coefficients = columns.map((_, i) => (used.includes(i) ? solved.coefficients[used.indexOf(i)]! : 0));
    best = { coefficients, residual: solved.residual };
    if (subset === all) break; // the unconstrained minimum
  }
  return best.coefficients;
}

/** Remaining share of a column's length below which it is a linear combination of the columns before it. */
const DEPENDENT_SHARE = 1e-10;

/** Least squares by QR decomposition (modified Gram-Schmidt); undefined if the columns are linearly dependent. */
function leastSquares(columns: number[][], target: number[]): { coefficients: number[]; residual: number } | undefined {
  const n = columns.length;
  const q: number[][] = [];
  const r = columns.map(() => new Array<number>(n).fill(0));
  const projections: number[] = [];
  let rest = target;
  for (const [j, column] of columns.entries()) {
    let left = column;
    for (let i = 0; i < j; i++) {
      r[i]![j] = dotProduct(q[i]!, left);
      left = subtractScaled(left, q[i]!, r[i]![j]!);
    }
    const length = Math.sqrt(dotProduct(left, left));
    if (length <= DEPENDENT_SHARE * Math.sqrt(dotProduct(column, column))) return undefined;
    r[j]![j] = length;
    q.push(left.map((v) => v / length));
    projections.push(dotProduct(q[j]!, rest));
    rest = subtractScaled(rest, q[j]!, projections[j]!);
  }
  const coefficients = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i--) {
    const known = coefficients.reduce((sum, c, j) => (j > i ? sum + r[i]![j]! * c : sum), 0);
    coefficients[i] = (projections[i]! - known) / r[i]![i]!;
  }
  return { coefficients, residual: dotProduct(rest, rest) };
}

function dotProduct(a: number[], b: number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

const subtractScaled = (a: number[], b: number[], times: number) => a.map((value, i) => value - times * b[i]!);
