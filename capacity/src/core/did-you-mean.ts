import { closest, distance } from 'fastest-levenshtein';

/** The `count` known names that are most similar to the given name, the most similar first. */
export const nearest = (given: string, known: readonly string[], count: number): string[] =>
  known
    .map((name) => ({ name, far: distance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, count)
    .map(({ name }) => name);

/**
 * `; did you mean "x"?` if a known name is close to the given one, otherwise a full stop. Close is an edit distance of at
 * most a third of the name's length, or 2 for names of 5 to 8 letters, 1 for shorter ones.
 */
export function didYouMean(given: string, known: readonly string[]): string {
  if (known.length === 0) return '.';
  const nearest = closest(given.toLowerCase(), known);
  const near = Math.max(given.length < 5 ? 1 : 2, Math.floor(given.length / 3));
  return distance(given.toLowerCase(), nearest.toLowerCase()) <= near ? `; did you mean "${nearest}"?` : '.';
}
