import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { lastLines } from '../../capacity/src/log-file.js';
import { allocatePorts, LOOPBACK, onThisHost } from '../../capacity/src/provision/process/host.js';
import { installNode } from '../../capacity/src/provision/process/n8n-import.js';
import { terminalProgress } from '../../capacity/src/report/progress.js';
import { ensureN8n, pinnedVersions } from '../../capacity/src/tools/runtimes.js';
import { until } from './until.js';

/** A real n8n with SQLite and this repository's built node package, in a home of its own. */
export interface RunningN8n {
  url: string;
  /** All that it has printed. */
  log(): Promise<string>;
  stop(): Promise<void>;
}

/** What an editor without the internet, on plain HTTP, is told beside what `onThisHost` says to every n8n. */
const OFFLINE = {
  N8N_SECURE_COOKIE: 'false',
  N8N_VERIFIED_PACKAGES_ENABLED: 'false',
  N8N_DISABLED_MODULES: 'mcp-registry',
  N8N_HIRING_BANNER_ENABLED: 'false',
  N8N_PERSONALIZATION_ENABLED: 'false',
};

/** Starts the newest pinned n8n in `folder`; resolves when its editor can be opened. */
export async function startN8n(folder: string): Promise<RunningN8n> {
  const [newest] = await pinnedVersions();
  const runtime = await ensureN8n(newest!, terminalProgress(true));
  const home = join(folder, 'n8n');
  const file = join(folder, 'n8n.log');
  await mkdir(home);
  await installNode(home);

  const ports = await allocatePorts();
  const child = execa(runtime.node, [runtime.n8n], {
    cwd: home,
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...onThisHost(OFFLINE, 'main', ports, new Map(), home) },
    extendEnv: false,
    stdin: 'ignore',
    stdout: { file, append: true },
    stderr: { file, append: true },
    reject: false,
    forceKillAfterDelay: 15_000,
  });
  const log = () => readFile(file, 'utf8');
  const stop = async () => {
    child.kill();
    await child;
  };
  try {
    await until('n8n opens its editor', 180, async () => {
      if (child.exitCode !== null) throw new Error(`n8n ended with exit code ${child.exitCode}`);
      return (await log().catch(() => '')).includes('Editor is now accessible via');
    });
  } catch (error) {
    await stop();
    throw new Error(`${String(error)}\n${lastLines(await log().catch(() => ''))}`, { cause: error });
  }
  return { url: `http://${LOOPBACK}:${ports.service}`, log, stop };
}
