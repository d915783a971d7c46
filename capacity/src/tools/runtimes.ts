import { UsageError } from '../core/errors.js';
import { cp, readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import semver from 'semver';
import { cacheFolder, runtimesFolder } from '../core/paths.js';
import type { Progress } from '../core/progress.js';
import { ensureInstalled, type Installable, type Run } from './install.js';
import { ensureBuildTools } from './system.js';

/** An installed n8n with the Node that it needs. */
export interface N8nRuntime {
  version: string;
  /** The `node` binary and n8n's own entry point: `node n8n [worker|webhook|…]`. */
  node: string;
  n8n: string;
}

/** A folder under `runtimes/`, and the cost of its install. */
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
 * The runtime for the n8n version that the chart renders, installed now if missing.
 * @throws UsageError when no pinned runtime has that version
 */
export async function ensureN8n(version: string, progress: Progress): Promise<N8nRuntime> {
  const pinned = await requirePinned(version);
  const folder = await ensureInstalled(await installable(pinned, version), progress);
  const modules = join(folder, 'node_modules');
  return { version, node: join(modules, 'node', 'bin', 'node'), n8n: join(modules, 'n8n', 'bin', 'n8n') };
}

/**
 * The pinned runtime of an n8n version.
 * @throws UsageError when there is none
 */
export async function requirePinned(version: string): Promise<Pinned> {
  const versions = await pinnedVersions();
  const pinned = PINNED[versions.findIndex((v) => semver.eq(v, version))];
  if (pinned) return pinned;
  throw new UsageError(
    `image.tag: n8n ${version} has no runtime on this machine. Set image.tag to ${versions.join(' or ')}, ` +
      'or add a folder with its package.json and lock to runtimes/.',
  );
}

/** The n8n versions that can run on this machine, newest first. */
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
      // Not `npm ci`: it refuses a lock without the optional packages of platforms that the registry lacks.
      // Without --legacy-peer-deps npm takes over 20 min to resolve the peers of n8n 2.x.
      await run('npm', ['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: folder,
      });
      // `--ignore-scripts` skips dozens of install scripts; only these two are needed.
      await run(process.execPath, ['installArchSpecificPackage.js'], { cwd: join(folder, 'node_modules', 'node') });
      await provideSqlite(folder, run);
    },
  };
}

/**
 * sqlite3 5 has no prebuilt binary on npm and takes minutes to build. It uses N-API, so one build serves Node 18 to 24: the
 * binary of another installed runtime is copied if there is one.
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
