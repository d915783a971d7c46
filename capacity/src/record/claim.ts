import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../core/errors.js';
import { withLock } from '../core/lock.js';
import { cannotWrite, makeFolder } from './files.js';

/** The claim of the process that records into a folder. */
export const CLAIM = '.claim';

/**
 * Runs `work`, which records into a folder, while no other process does: two runs in one folder would be judged as one. A
 * folder that stays empty is removed.
 * @param say prints why it waits
 * @throws UsageError when another process records there, CannotRecord when the folder cannot be made
 */
export async function claimed<T>(
  folder: string,
  say: (line: string) => void,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const made = [resolve(folder), dirname(resolve(folder))].filter((path) => !existsSync(path));
  let isOurs = false;
  try {
    const options = {
      prepare: () => makeFolder(resolve(folder)),
      onWait: () => say(`${folder}: another run records into it, or was killed a moment ago; waiting …`),
      taken: () => new UsageError(`${folder}: another run records into it; give another folder, or wait for its end.`),
      signal,
    };
    return await withLock(join(resolve(folder), CLAIM), options, () => {
      isOurs = true;
      return work();
    });
  } catch (error) {
    throw !isOurs && error instanceof Error && 'syscall' in error ? cannotWrite(folder, error) : error;
  } finally {
    for (const path of made) await rmdir(path).catch(() => {});
  }
}
