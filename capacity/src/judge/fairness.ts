import { sum } from 'simple-statistics';

/** How evenly executions were spread over processes. */
export interface Fairness {
  /** Jain's index: 1 if all ran the same number, 1/n if one of n ran everything. */
  index: number;
  /** Highest count ÷ lowest count: 1 if all ran the same number, Infinity if one ran none. */
  spread: number;
  /** Processes with the most and the fewest executions. */
  most: { process: string; executions: number };
  least: { process: string; executions: number };
}

/**
 * Fairness of executions over processes: (Σx)² / (n Σx²), Jain, Chiu and Hawe, "A Quantitative Measure of Fairness and
 * Discrimination", DEC-TR-301, 1984. It has no unit and does not depend on the total; with few executions, chance alone makes
 * shares uneven.
 * @param executions count for each process, including those without any; each at least 0
 * @returns undefined without processes or without executions
 * @throws RangeError if a count is negative or not a number
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

/** Counts are divided by the largest, so that no square overflows or underflows. */
function jainIndex(counts: number[]): number {
  const largest = Math.max(...counts);
  const shares = counts.map((c) => c / largest);
  return sum(shares) ** 2 / (counts.length * sum(shares.map((share) => share ** 2)));
}
