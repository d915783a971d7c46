import { UsageError } from './errors.js';

/**
 * Runs all checks and returns their results by name. Every check runs, so that the user sees all problems of an input at once.
 * @throws UsageError that lists every problem, in the order of the checks; any other error immediately
 */
export function runAllChecks<T extends Record<string, () => unknown>>(checks: T): { [K in keyof T]: ReturnType<T[K]> } {
  const problems: string[] = [];
  const results = Object.entries(checks).map(([name, check]): [string, unknown] => {
    try {
      return [name, check()];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(...error.problems);
      return [name, undefined];
    }
  });
  throwIfProblems(problems);
  return Object.fromEntries(results) as { [K in keyof T]: ReturnType<T[K]> };
}

/** Applies `read` to each item. Throws like `runAllChecks`. */
export const checkEach = <T, R>(items: readonly T[], read: (item: T) => R): R[] =>
  Object.values(runAllChecks(Object.fromEntries(items.map((item, i) => [i, () => read(item)]))));

/** Throws one UsageError that lists all problems, without repeats. Does nothing if there are no problems. */
export function throwIfProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new UsageError([...new Set(problems)]);
}
