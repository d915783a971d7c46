/** How evenly work was spread over processes. */
export interface Fairness {
  /** Jain's index: 1 when all have done the same, 1/n when one of n has done everything. */
  index: number;
  /** The busiest's count over the idlest's: 1 when all have done the same, Infinity when one has done nothing. */
  spread: number;
  /** Processes with the most and the fewest executions. */
  most: { process: string; executions: number };
  least: { process: string; executions: number };
}

/**
 * Fairness of executions over processes: (Σx)² / (n Σx²), Jain, Chiu and Hawe, "A Quantitative Measure of Fairness and
 * Discrimination", DEC-TR-301, 1984. It has no unit and does not depend on how many executions there were in all, but of few
 * executions even a fair coin makes uneven shares.
 * @param executions count for each process, those that were given none included; each at least 0
 * @returns undefined without processes or without executions: nothing was shared
 * @throws RangeError when a count is negative or no number
 */
export function fairness(executions: ReadonlyMap<string, number>): Fairness | undefined {
  const counts = [...executions].map(([process, count]) => ({ process, executions: count }));
  const wrong = counts.find((c) => !(c.executions >= 0 && Number.isFinite(c.executions)));
  if (wrong)
    throw new RangeError(`executions of ${wrong.process} must be a number of at least 0, not ${wrong.executions}`);
  const sorted = counts.sort((a, b) => b.executions - a.executions);
  const [most, least] = [sorted[0], sorted.at(-1)];
  if (!most || !least || most.executions === 0) return undefined;
  return {
    index: jainIndex(sorted.map((c) => c.executions)),
    spread: most.executions / least.executions,
    most,
    least,
  };
}

/** Shares are taken of the largest, so that no square overflows or vanishes. */
function jainIndex(counts: number[]): number {
  const largest = Math.max(...counts);
  const shares = counts.map((c) => c / largest);
  const sum = shares.reduce((a, b) => a + b, 0);
  const squares = shares.reduce((a, b) => a + b * b, 0);
  return sum ** 2 / (counts.length * squares);
}
