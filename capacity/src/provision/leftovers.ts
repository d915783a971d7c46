import { mkdtemp, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { statEntry, isOwnedByUser } from '../core/owner.js';
import { isAlive } from '../core/processes.js';

const PREFIX = 'n8n-tuned-';

/** Creates a temporary folder for a run; its name contains this process's id. */
export const scratchFolder = (): Promise<string> => mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));

/**
 * Removes the temporary folders of runs that were killed. Those of other users remain, also where root could remove them, and
 * so do links.
 * @param parent where temporary folders are, in which other users may write
 */
export async function sweepFolders(parent = tmpdir()): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(PREFIX));
  const left = names.filter((name) => isLeftOver(name.slice(PREFIX.length)));
  for (const name of left) await removeOwn(parent, name).catch(() => {});
}

/**
 * Removes a folder, if it is this user's. It is moved into a folder that only this user can write, and checked again
 * there, so that nobody can replace it between the check and the removal.
 */
async function removeOwn(parent: string, name: string): Promise<void> {
  const path = join(parent, name);
  if (!(await isOwnFolder(path))) return;
  const aside = await mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
  const moved = join(aside, 'left');
  try {
    await rename(path, moved);
    if (await isOwnFolder(moved)) await rm(moved, { recursive: true, force: true });
    else await rename(moved, path);
  } finally {
    // It is empty, or holds what could not be removed, which the next run tries.
    await rmdir(aside).catch(() => {});
  }
}

/** Whether a path is a folder of this user, and no link. */
async function isOwnFolder(path: string): Promise<boolean> {
  const entry = await statEntry(path);
  return entry !== undefined && entry.isDirectory() && isOwnedByUser(entry);
}

/** Whether a name that begins with a process id belongs to a process that has ended. */
export function isLeftOver(name: string): boolean {
  const pid = Number(/^(\d+)-/.exec(name)?.[1]);
  return pid > 1 && !isAlive(pid);
}
