import { UsageError } from '../../core/errors.js';
import { readFileSync } from 'node:fs';

/**
 * The JSON in a file. Its content is in no message: it may be secret.
 * @param where flag and file, for messages
 * @throws UsageError
 */
export function readJson(file: string, where: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${where}: cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${where}: is not valid JSON.`);
  }
}
