import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Of all folders of this machine's processes; the host, because containers may share a folder and not their pids. */
const prefix = (): string => `n8n-nodes-tuned-${hostname()}-`;

let own: string | undefined;

/**
 * The folder that this process keeps files in: `n8n-nodes-tuned-HOST-PID-` and six random characters, in the system's
 * folder for such, readable by nobody else. Made, and made again should somebody have cleaned up, when it is asked for;
 * removed when the process exits.
 */
export function temporaryFolder(): string {
  if (own !== undefined && isOwnFolder(own)) return own;
  removeLeftFolders();
  // mkdtemp never takes what exists already, a link among it, and gives the owner alone access.
  const folder = mkdtempSync(join(tmpdir(), `${prefix()}${process.pid}-`));
  if (own === undefined) process.once('exit', () => own && rmSync(own, { recursive: true, force: true }));
  own = folder;
  return folder;
}

/** Removes the folders of processes that were killed. Restarted in a container, n8n often has the pid of before. */
export function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = pidOf(name);
    const folder = join(tmpdir(), name);
    if (pid === undefined || folder === own || !isOwnFolder(folder)) continue;
    if (pid === process.pid || !isAlive(pid)) rmSync(folder, { recursive: true, force: true });
  }
}

function pidOf(name: string): number | undefined {
  if (!name.startsWith(prefix())) return undefined;
  const pid = /^(\d+)-[A-Za-z0-9]{6}$/.exec(name.slice(prefix().length))?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** A folder of this user, and no link to one. */
function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
