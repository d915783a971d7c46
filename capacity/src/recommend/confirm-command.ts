import type { AskedOptions } from './asked.js';

/**
 * The shell command that confirms the values of a run.
 * @param place folder of the run
 */
export const confirmCommand = (place: string, { target, perDay, peak, headroom }: AskedOptions = {}): string =>
  [
    ...['n8n-capacity', 'confirm', place],
    ...(target === undefined ? [] : ['--target', target]),
    ...(perDay === undefined ? [] : ['--per-day', perDay]),
    ...(peak === undefined ? [] : ['--peak', peak]),
    ...(headroom === undefined ? [] : ['--headroom', headroom]),
  ]
    .map(quoted)
    .join(' ');

/** A word quoted for POSIX shells. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
