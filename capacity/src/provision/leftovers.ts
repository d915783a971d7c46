import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../core/processes.js';

const PREFIX = 'n8n-tuned-';

/** Creates a temporary folder for a run; its name contains this process's id. */
export const scratchFolder = (): Promise<string> => mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));

/** Removes the temporary folders of runs that were killed; those of other users remain. */
export async function sweepFolders(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  const left = names.filter((name) => isLeftOver(name.slice(PREFIX.length)));
  await Promise.all(left.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {})));
}

/** Whether a name that begins with a process id belongs to a process that has ended. */
export function isLeftOver(name: string): boolean {
  const pid = Number(/^(\d+)-/.exec(name)?.[1]);
  return pid > 0 && !isAlive(pid);
}
