import { closest, distance } from 'fastest-levenshtein';

/**
 * `; did you mean "x"?` when a known name is near what was given, otherwise a full stop. Near is an edit distance of
 * at most a third of the name's length, at least 2: more is a guess.
 */
export function didYouMean(given: string, known: readonly string[]): string {
  if (known.length === 0) return '.';
  const nearest = closest(given.toLowerCase(), known);
  const near = Math.max(2, Math.floor(given.length / 3));
  return distance(given.toLowerCase(), nearest.toLowerCase()) <= near ? `; did you mean "${nearest}"?` : '.';
}
