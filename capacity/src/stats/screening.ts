/**
 * Rows of a two-level design that tells the effects of so many factors apart in as few runs as possible (Plackett and Burman,
 * The Design of Optimum Multifactorial Experiments, Biometrika 33, 1946): for each row, whether each factor has its other
 * level. Every factor has it in half of the rows, and together with each other factor in a quarter of them, so the effect of
 * one does not depend on those of the others. In the last row no factor has it. Two factors that change each other's effect
 * bias others a little: what is found must be confirmed.
 * @param factors 1 or more; a few rows more than factors are left to tell the noise
 * @throws RangeError above what the largest design takes
 */
export function screeningDesign(factors: number): boolean[][] {
  const prime = PRIMES.find((p) => p >= factors + LEAST_FREEDOM);
  if (prime === undefined) throw new RangeError(`${factors} factors: at most ${PRIMES.at(-1)! - LEAST_FREEDOM} fit`);
  const residues = new Set(Array.from({ length: prime }, (_, i) => (i * i) % prime));
  // Paley 1933: quadratic residues of a prime that leaves 3 when divided by 4.
  const cyclic = Array.from({ length: prime }, (_, row) =>
    Array.from({ length: factors }, (_unused, column) => residues.has((column - row + prime) % prime)),
  );
  return [...cyclic, Array.from({ length: factors }, () => false)];
}

/** The most factors that a design of at most so many rows takes; 0 where the smallest design has more rows. */
export const mostFactors = (rows: number): number =>
  Math.max(0, (PRIMES.findLast((prime) => prime + 1 <= rows) ?? LEAST_FREEDOM) - LEAST_FREEDOM);

/** The fewest rows of any design. */
export const fewestRows = (): number => PRIMES[0]! + 1;

/** One more than each is the number of rows. */
const PRIMES = [11, 19, 23, 31, 43, 47];
/** Rows more than factors, from which the noise is estimated: with fewer, the intervals become much wider (Student's t). */
const LEAST_FREEDOM = 8;
