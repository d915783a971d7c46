import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { InputError } from '../errors.js';
import { lastLines } from '../last-lines.js';
import { cacheFolder } from '../paths.js';
import type { Progress } from '../report/progress.js';

const STAMP = '.installed';

/** One thing to install into the cache. */
export interface Installable {
  /** Its folder in the cache, e.g. `runtimes/n8n-2`. */
  folder: string;
  /** What the user reads while it is installed, with how long it takes and how large it is. */
  label: string;
  /** Whatever decides what is installed (versions, lock file): another text means another install. */
  recipe: string;
  /** Free disk space that it takes at its peak, in MiB. */
  needsMiB: number;
  /** Installs into an empty folder; output goes to the log by `run`. */
  build(folder: string, run: Run): Promise<void>;
}

/** Runs a command with its output in the install log; throws with the log's last lines when it fails. */
export type Run = (
  command: string,
  args: string[],
  options?: { cwd?: string; env?: NodeJS.ProcessEnv },
) => Promise<void>;

/**
 * The folder of a finished install, made now if it is not there. It is built in a folder beside and renamed when it is
 * whole, so that an install that failed or was interrupted is never taken for a finished one.
 */
export async function ensureInstalled(what: Installable, progress: Progress): Promise<string> {
  const folder = join(cacheFolder, what.folder);
  const stamp = createHash('sha256').update(what.recipe).digest('hex');
  if ((await readFile(join(folder, STAMP), 'utf8').catch(() => '')) === stamp) return folder;

  await mkdir(dirname(folder), { recursive: true });
  await requireSpace(dirname(folder), what);
  const beside = `${folder}.installing-${process.pid}`;
  const log = join(cacheFolder, 'logs', `${what.folder.replaceAll('/', '-')}.log`);
  await mkdir(dirname(log), { recursive: true });
  await rm(log, { force: true });
  try {
    await progress.during(`installing ${what.label}`, async () => {
      await mkdir(beside, { recursive: true });
      await what.build(beside, logged(log, what.label));
      await writeFile(join(beside, STAMP), stamp);
      await rm(folder, { recursive: true, force: true });
      await rename(beside, folder);
    });
  } finally {
    if (existsSync(beside)) await rm(beside, { recursive: true, force: true });
  }
  return folder;
}

async function requireSpace(folder: string, what: Installable): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const freeMiB = Math.floor((bavail * bsize) / 2 ** 20);
  if (freeMiB >= what.needsMiB) return;
  throw new InputError(
    `no disk space for ${what.label}: ${freeMiB} MiB free in ${folder}, ${what.needsMiB} MiB needed. ` +
      'Free some, or set N8N_TUNED_CACHE to a folder on another disk.',
  );
}

function logged(log: string, label: string): Run {
  return async (command, args, options = {}) => {
    const result = await execa(command, args, {
      ...options,
      stdin: 'ignore',
      all: true,
      stdout: { file: log, append: true },
      stderr: { file: log, append: true },
      reject: false,
    });
    if (!result.failed) return;
    const tail = lastLines(await readFile(log, 'utf8').catch(() => ''));
    const why = result.isTerminated
      ? `was ended by ${result.signal}`
      : `failed (exit code ${result.exitCode ?? result.code})`;
    throw new InputError(
      `could not install ${label}: "${command} ${args.join(' ')}" ${why}.\n${tail}\nThe whole log: ${log}`,
    );
  };
}
