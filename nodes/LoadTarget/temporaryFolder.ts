import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The prefix of the folders of this machine. It holds the host, because containers may share a folder but not their pids. */
const prefix = (): string => `n8n-nodes-tuned-${hostname()}-`;

let own: string | undefined;

/**
 * The folder in which this process keeps files: `n8n-nodes-tuned-HOST-PID-` and six random characters, in the temporary folder
 * of the system. Only the user of the process can read it. It is created on the first call, and again if it was deleted. It
 * is removed when the process exits.
 */
export function ensureTemporaryFolder(): string {
  if (own !== undefined && isOwnFolder(own)) return own;
  removeLeftFolders();
  // mkdtemp never uses an existing folder or link, and gives access only to the owner.
  const folder = mkdtempSync(join(tmpdir(), `${prefix()}${process.pid}-`));
  if (own === undefined) process.once('exit', () => own && rmSync(own, { recursive: true, force: true }));
  own = folder;
  return folder;
}

/** Removes the folders of killed processes. In a restarted container, n8n often has the same pid as before. */
export function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = parsePid(name);
    const folder = join(tmpdir(), name);
    if (pid === undefined || folder === own || !isOwnFolder(folder)) continue;
    if (pid === process.pid || !isAlive(pid)) rmSync(folder, { recursive: true, force: true });
  }
}

function parsePid(name: string): number | undefined {
  if (!name.startsWith(prefix())) return undefined;
  const pid = /^(\d+)-[A-Za-z0-9]{6}$/.exec(name.slice(prefix().length))?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** Whether the path is a folder of this user, and not a link. */
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
