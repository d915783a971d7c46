import { UsageError, describeReadError } from '../core/errors.js';
import { readFileSync } from 'node:fs';

/**
 * The content of a JSON file. Messages never show it: it may be secret.
 * @param where flag and file, for messages
 * @throws UsageError
 */
export function readJson(file: string, where: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${where}: ${describeReadError(error)}; give the path of a JSON file.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${where}: is not valid JSON; correct or export it again.`);
  }
}
