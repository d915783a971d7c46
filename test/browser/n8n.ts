import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lastLines } from '../../capacity/src/core/log-file.js';
import { LOOPBACK } from '../../capacity/src/core/loopback.js';
import { allocatePorts, onThisHost } from '../../capacity/src/provision/process/host.js';
import { installNode } from '../../capacity/src/provision/n8n-import.js';
import { terminalProgress } from '../../capacity/src/core/progress.js';
import { ensureN8n, readPinnedVersions } from '../../capacity/src/tools/runtimes.js';
import { waitUntilTrue } from './until.js';

/** A real n8n with SQLite and this repository's built node package, in its own home folder. */
export interface RunningN8n {
  url: string;
  /** The complete log. */
  log(): Promise<string>;
  stop(): Promise<void>;
}

/** Environment for an editor on plain HTTP without internet access, in addition to that of `onThisHost`. */
const OFFLINE_ENVIRONMENT = {
  N8N_SECURE_COOKIE: 'false',
  N8N_VERIFIED_PACKAGES_ENABLED: 'false',
  N8N_DISABLED_MODULES: 'mcp-registry',
  N8N_HIRING_BANNER_ENABLED: 'false',
  N8N_PERSONALIZATION_ENABLED: 'false',
  // Seconds. An n8n that is killed during its start always waits for this long.
  N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
};

/** Options of a test. */
interface StartOptions {
  env?: Record<string, string>;
  /** Whether to leave out this repository's node package. */
  bare?: boolean;
}

/** Starts the newest pinned n8n in `folder`. Resolves when its editor is ready. */
export async function startN8n(folder: string, { env = {}, bare = false }: StartOptions = {}): Promise<RunningN8n> {
  const [newest] = await readPinnedVersions();
  const runtime = await ensureN8n(newest!, terminalProgress(true));
  const home = join(folder, 'n8n');
  const file = join(folder, 'n8n.log');
  await mkdir(home);
  if (!bare) await installNode(home);

  const ports = await allocatePorts();
  // A file, not a pipe to this process: n8n spins when it cannot write its log.
  const output = await open(file, 'a');
  const child = spawn(runtime.node, [runtime.n8n], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      LANG: 'C.UTF-8',
      ...onThisHost({ ...OFFLINE_ENVIRONMENT, ...env }, 'main', ports, new Map(), home),
    },
    stdio: ['ignore', output.fd, output.fd],
  });
  const ended = once(child, 'exit');
  await output.close();
  const log = () => readFile(file, 'utf8');
  const stop = async () => {
    child.kill();
    const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(force);
  };
  try {
    await waitUntilTrue('start of n8n', 180, async () => {
      if (child.exitCode !== null) throw new Error(`n8n ended with exit code ${child.exitCode}`);
      return (await log()).includes('Editor is now accessible via');
    });
  } catch (error) {
    await stop();
    throw new Error(`${String(error)}\n${lastLines(await log())}`, { cause: error });
  }
  return { url: `http://${LOOPBACK}:${ports.service}`, log, stop };
}
