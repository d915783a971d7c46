import { closest, distance } from 'fastest-levenshtein';

/** The `count` known names that are most similar to the given name, the most similar first. */
export const nearestNames = (given: string, known: readonly string[], count: number): string[] =>
  known
    .map((name) => ({ name, far: distance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, count)
    .map(({ name }) => name);

/**
 * Returns `; did you mean "x"?` if a known name is close to the given name, otherwise a full stop. A name is close if its edit
 * distance is at most a third of the given name's length, or 2 for 5 to 8 letters, or 1 for fewer.
 */
export function didYouMean(given: string, known: readonly string[]): string {
  if (known.length === 0) return '.';
  const nearest = closest(given.toLowerCase(), known);
  const near = Math.max(given.length < 5 ? 1 : 2, Math.floor(given.length / 3));
  return distance(given.toLowerCase(), nearest.toLowerCase()) <= near ? `; did you mean "${nearest}"?` : '.';
}
