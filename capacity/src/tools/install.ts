import { EnvironmentFault } from '../core/errors.js';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { runLogged } from '../core/run-logged.js';
import { lastLines, readLogTail } from '../core/log-file.js';
import { withLock } from '../core/lock.js';
import { cacheFolder } from '../core/paths.js';
import { isAlive } from '../core/processes.js';
import type { Progress } from '../core/progress.js';

const STAMP = '.installed';
const UNFINISHED = '.installing-';

/** One thing to install into the cache. */
export interface Installable {
  /** Its folder in the cache, e.g. `runtimes/n8n-2`. */
  folder: string;
  /** Name for progress lines, with the duration and the size of the install. */
  label: string;
  /** Everything that determines the result (versions, lock file): if it changes, it is installed again. */
  recipe: string;
  /** Peak disk space during the install, in MiB. */
  needsMiB: number;
  /** Installs into an empty folder; `run` logs the output of commands. */
  build(folder: string, run: RunCommand): Promise<void>;
}

/** Runs a command with its output in the install log. Throws EnvironmentFault with the end of the log. */
export type RunCommand = (
  command: string,
  args: string[],
  options?: { cwd?: string; env?: Record<string, string> },
) => Promise<void>;

/**
 * The folder of a finished install, installed now if missing. It is built in a temporary folder and renamed when complete, so
 * that a failed or interrupted install is never mistaken for a finished one. Of several processes one installs; the others
 * wait for it.
 * @throws EnvironmentFault when the install fails or the disk is full
 */
export async function ensureInstalled(what: Installable, progress: Progress): Promise<string> {
  const folder = join(cacheFolder, what.folder);
  if (await isInstalled(folder, what)) return folder;
  const lock = join(cacheFolder, 'locks', what.folder.replaceAll('/', '-'));
  const options = {
    seconds: Infinity,
    onWait: () => progress.line(`  waiting for another process that installs ${what.label}`),
    taken: () => new Error('the wait for the lock ended, although it has no time limit'),
    signal: progress.signal,
  };
  try {
    await mkdir(dirname(lock), { recursive: true });
    // Do not install it again: another process may have installed it during the wait, and may already run it.
    await withLock(lock, options, async () => {
      if (!(await isInstalled(folder, what))) await install(folder, what, progress);
    });
  } catch (error) {
    throw isSystemError(error) ? new EnvironmentFault(`could not install ${what.label}: ${error.message}.`) : error;
  }
  return folder;
}

/** The folder of a finished install; undefined if there is none. */
export async function findInstalled(what: Pick<Installable, 'folder' | 'recipe'>): Promise<string | undefined> {
  const folder = join(cacheFolder, what.folder);
  return (await isInstalled(folder, what)) ? folder : undefined;
}

const computeStamp = ({ recipe }: Pick<Installable, 'recipe'>) => createHash('sha256').update(recipe).digest('hex');

const isInstalled = async (folder: string, what: Pick<Installable, 'recipe'>): Promise<boolean> =>
  (await readFile(join(folder, STAMP), 'utf8').catch(() => '')) === computeStamp(what);

/** Installs into a temporary folder beside the final one, and renames it when complete. */
async function install(folder: string, what: Installable, progress: Progress): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  await removeUnfinished(folder);
  await requireDiskSpace(dirname(folder), what);
  const beside = `${folder}${UNFINISHED}${process.pid}`;
  const log = join(cacheFolder, 'logs', `${what.folder.replaceAll('/', '-')}.log`);
  await mkdir(dirname(log), { recursive: true });
  await rm(log, { force: true });
  try {
    await progress.during(`installing ${what.label}`, async () => {
      await mkdir(beside, { recursive: true });
      await what.build(beside, createLoggedRun(log, what.label, progress.signal));
      await writeFile(join(beside, STAMP), computeStamp(what));
      await rm(folder, { recursive: true, force: true });
      await rename(beside, folder);
    });
  } finally {
    if (existsSync(beside)) await rm(beside, { recursive: true, force: true });
  }
}

/** Whether an error comes from the system, such as a full disk or a folder that is not writable. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error;

/** Removes the temporary folders of killed installs, but not those of processes that are still running. */
async function removeUnfinished(folder: string): Promise<void> {
  const prefix = `${basename(folder)}${UNFINISHED}`;
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(prefix) || isAlive(Number(name.slice(prefix.length)))) continue;
    await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

async function requireDiskSpace(folder: string, what: Installable): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const freeMiB = Math.floor((bavail * bsize) / 2 ** 20);
  if (freeMiB >= what.needsMiB) return;
  throw new EnvironmentFault(
    `not enough disk space for ${what.label}: ${freeMiB} MiB free in ${folder}, ${what.needsMiB} MiB needed. ` +
      'Free some space, or set N8N_TUNED_CACHE to a folder on another disk.',
  );
}

function createLoggedRun(log: string, label: string, signal: AbortSignal): RunCommand {
  return async (command, args, options = {}) => {
    const failure = await runLogged(command, args, { ...options, log, signal });
    if (failure === undefined) return;
    throw new EnvironmentFault(
      `could not install ${label}: "${command} ${args.join(' ')}" ended with ${failure}.\n` +
        `${lastLines(await readLogTail(log))}\nThe whole log: ${log}`,
    );
  };
}
