import { UsageError } from '../core/errors.js';
import { cp, readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import semver from 'semver';
import { cacheFolder, runtimesFolder } from '../core/paths.js';
import type { Progress } from '../core/progress.js';
import { ensureInstalled, type Installable, type Run } from './install.js';
import { ensureBuildTools } from './system.js';

/** One pinned n8n with the Node it wants. */
export interface N8nRuntime {
  version: string;
  /** The `node` binary and n8n's own entry point: `node n8n [worker|webhook|…]`. */
  node: string;
  n8n: string;
}

/** A folder under `runtimes/`, and what its install costs. */
interface Pinned {
  folder: string;
  minutes: string;
  megabytes: number;
}

const PINNED: Pinned[] = [
  { folder: 'n8n-2', minutes: '5-10 min', megabytes: 2300 },
  { folder: 'n8n-1', minutes: '3-8 min', megabytes: 1900 },
  { folder: 'n8n-0', minutes: '3-5 min', megabytes: 800 },
];

/**
 * The runtime for the n8n version that the chart renders, installed now if it is not there.
 * Throws UsageError when no pinned runtime has that version: a measurement of another one would not be honest.
 */
export async function ensureN8n(version: string, progress: Progress): Promise<N8nRuntime> {
  const versions = await pinnedVersions();
  const index = versions.findIndex((v) => semver.eq(v, version));
  if (index < 0) {
    throw new UsageError(
      `image.tag: n8n ${version} has no runtime on this machine. Pinned are ${versions.join(' and ')}: ` +
        'set image.tag to one of them, or add a folder under runtimes/ with its package.json and lock.',
    );
  }
  const pinned = PINNED[index]!;
  const folder = await ensureInstalled(await installable(pinned, version), progress);
  const modules = join(folder, 'node_modules');
  return { version, node: join(modules, 'node', 'bin', 'node'), n8n: join(modules, 'n8n', 'bin', 'n8n') };
}

/** The n8n versions that can be run here, the newest line first. */
export function pinnedVersions(): Promise<string[]> {
  return Promise.all(PINNED.map(async (p) => (await manifest(p.folder)).dependencies.n8n!));
}

async function installable(pinned: Pinned, version: string): Promise<Installable> {
  const source = join(runtimesFolder, pinned.folder);
  return {
    folder: `runtimes/${pinned.folder}`,
    label: `n8n ${version} (${pinned.minutes}, ${pinned.megabytes} MB)`,
    recipe:
      (await readFile(join(source, 'package.json'), 'utf8')) +
      (await readFile(join(source, 'package-lock.json'), 'utf8')),
    needsMiB: pinned.megabytes * 2,
    async build(folder, run) {
      await ensureBuildTools();
      await cp(source, folder, { recursive: true });
      // Not `npm ci`: it refuses a lock that lacks the optional packages of platforms whose registry entries are missing.
      // Without --legacy-peer-deps npm takes over 20 min to resolve n8n 2.x's peers.
      await run('npm', ['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: folder,
      });
      // `--ignore-scripts` spares n8n's dozens of install scripts; these two are needed.
      await run(process.execPath, ['installArchSpecificPackage.js'], { cwd: join(folder, 'node_modules', 'node') });
      await provideSqlite(folder, run);
    },
  };
}

/**
 * sqlite3 5 has a prebuilt binary only outside the registries, and takes minutes to build. It is N-API: one build serves
 * Node 18 to 24, so a runtime that is installed already lends its own.
 */
async function provideSqlite(folder: string, run: Run): Promise<void> {
  const module = join(folder, 'node_modules', 'sqlite3');
  const built = join('build', 'Release', 'node_sqlite3.node');
  const versionOf = async (path: string) =>
    (JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as { version: string }).version;
  for (const { folder: other } of PINNED) {
    const theirs = join(cacheFolder, 'runtimes', other, 'node_modules', 'sqlite3');
    if (!existsSync(join(theirs, built)) || (await versionOf(theirs)) !== (await versionOf(module))) continue;
    await cp(join(theirs, built), join(module, built));
    return;
  }
  await buildSqlite(module, run);
}

async function buildSqlite(cwd: string, run: Run): Promise<void> {
  const prefix = join(dirname(process.execPath), '..');
  const gypOf = (modules: string) => join(modules, 'node-gyp', 'bin', 'node-gyp.js');
  const npmGyp = gypOf(join(prefix, 'lib', 'node_modules', 'npm', 'node_modules'));
  const gyp = existsSync(npmGyp) ? npmGyp : gypOf(dirname(cwd));
  const nodedir = existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? [`--nodedir=${prefix}`] : [];
  await run(process.execPath, [gyp, 'rebuild', ...nodedir], { cwd });
}

async function manifest(folder: string): Promise<{ dependencies: Record<string, string> }> {
  return JSON.parse(await readFile(join(runtimesFolder, folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
}
