import { cp, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import semver from 'semver';
import { cacheFolder, runtimesFolder } from '../core/paths.js';
import type { Progress } from '../core/progress.js';
import { ensureInstalled, findInstalled, type Installable, type RunCommand } from './install.js';
import { findReplacements } from './own-packages.js';
import { chooseAvailableN8n, type AvailableN8n } from './available.js';
import { chooseNodeMajor, installWithReplacements } from './published.js';
import { ensureBuildTools } from './system.js';

/** An installed n8n with the Node that it needs. */
export interface N8nRuntime {
  version: string;
  /** The `node` binary and n8n's own entry point: `node n8n [worker|webhook|…]`. */
  node: string;
  n8n: string;
  /** Packages whose required versions some registries lack, with the versions that are installed instead. */
  replaced: Record<string, string>;
}

/** A folder under `runtimes/`, and the cost of its install. */
interface PinnedRuntime {
  folder: string;
  minutes: string;
  megabytes: number;
}

const PINNED_RUNTIMES: PinnedRuntime[] = [
  { folder: 'n8n-2', minutes: '5-10 min', megabytes: 2300 },
  { folder: 'n8n-1', minutes: '3-8 min', megabytes: 1900 },
  { folder: 'n8n-0', minutes: '3-5 min', megabytes: 800 },
];

/**
 * The runtime of an n8n version, installed now if missing. It may be any version that is pinned or on npm. If the version is
 * unavailable, it is the nearest patch.
 * @throws UsageError when npm has no such version, EnvironmentFault when it cannot be installed
 */
export async function ensureN8n(asked: string, progress: Progress): Promise<N8nRuntime> {
  const { version } = await resolveN8n(asked);
  const pinned = await findPinned(version);
  const what = pinned ? await toPinnedInstallable(pinned, version) : await toPublishedInstallable(version);
  const folder = await ensureInstalled(what, progress);
  const modules = join(folder, 'node_modules');
  const [node, n8n] = [join(modules, 'node', 'bin', 'node'), join(modules, 'n8n', 'bin', 'n8n')];
  return { version, node, n8n, replaced: await readReplacedPackages(folder) };
}

/** Whether the pinned n8n of this version is installed, and the label and disk space of its install. */
export async function readPinnedState(
  version: string,
): Promise<{ installed: boolean; label: string; needsMiB: number }> {
  const what = await toPinnedInstallable((await findPinned(version))!, version);
  return { installed: (await findInstalled(what)) !== undefined, label: what.label, needsMiB: what.needsMiB };
}

/** The installed versions of overridden packages. An override of a package that is not installed is left out. */
async function readReplacedPackages(folder: string): Promise<Record<string, string>> {
  const read = async <T>(...path: string[]) =>
    JSON.parse(await readFile(join(folder, ...path, 'package.json'), 'utf8')) as T;
  const { overrides = {} } = await read<Partial<Manifest>>();
  const names = Object.keys(overrides).filter((name) => existsSync(join(folder, 'node_modules', name)));
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, (await read<{ version: string }>('node_modules', name)).version] as const),
    ),
  );
}

const resolved = new Map<string, Promise<AvailableN8n>>();

/**
 * Resolves the n8n that a run with this version measures, without installing it. If the version is unavailable, this is another
 * patch of the same minor version. The answer is cached for this process.
 * @throws UsageError that names the nearest versions
 */
export function resolveN8n(version: string): Promise<AvailableN8n> {
  const known = resolved.get(version) ?? resolveUncached(version);
  resolved.set(version, known);
  // A failure is not cached: the network may be up the next time.
  known.catch(() => resolved.delete(version));
  return known;
}

async function resolveUncached(version: string): Promise<AvailableN8n> {
  const installed = (await findOnDemandRuntimes()).map((folder) => basename(folder).slice('n8n-'.length));
  return chooseAvailableN8n(version, { pinned: await readPinnedVersions(), installed });
}

async function findPinned(version: string): Promise<PinnedRuntime | undefined> {
  const versions = await readPinnedVersions();
  return PINNED_RUNTIMES[versions.findIndex((v) => semver.eq(v, version))];
}

/** The n8n versions that are pinned, newest first. */
export function readPinnedVersions(): Promise<string[]> {
  return Promise.all(PINNED_RUNTIMES.map(async (p) => (await readManifest(p.folder)).dependencies.n8n!));
}

/** Folders of the cache with runtimes that are not pinned. */
export async function findOnDemandRuntimes(): Promise<string[]> {
  const all = await readdir(join(cacheFolder, 'runtimes')).catch(() => []);
  return all.filter((name) => /^n8n-\d+\.\d+\.\d+/.test(name)).map((name) => join(cacheFolder, 'runtimes', name));
}

async function toPinnedInstallable(pinned: PinnedRuntime, version: string): Promise<Installable> {
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
      await runNpmInstall(folder, run);
      await runInstallScripts(folder, run);
    },
  };
}

/** Further overrides for versions below `below`: their `@langchain/core` is older than the newest LangChain packages require. */
const OLDER_OVERRIDES = [
  { below: '2.30.0', overrides: { '@langchain/langgraph': '1.1.2', '@langchain/langgraph-checkpoint': '1.0.0' } },
];

/** A version without a lock file: npm resolves its dependencies at the time of the install. */
async function toPublishedInstallable(version: string): Promise<Installable> {
  const pinned = PINNED_RUNTIMES.find(({ folder }) => folder === `n8n-${Math.min(2, semver.major(version))}`)!;
  const older = OLDER_OVERRIDES.filter(({ below }) => semver.satisfies(version, `>=2.0.0 <${below}`));
  const overrides = Object.assign(
    {},
    (await readManifest(pinned.folder)).overrides,
    ...older.map((o) => o.overrides),
  ) as Record<string, string>;
  const wanted = { private: true, dependencies: { n8n: version, node: await chooseNodeMajor(version) } };
  return {
    folder: `runtimes/n8n-${version}`,
    label: `n8n ${version} (${pinned.minutes}, ${pinned.megabytes} MB)`,
    recipe: JSON.stringify(wanted),
    needsMiB: pinned.megabytes * 2,
    async build(folder, run) {
      await ensureBuildTools();
      const write = (more: Record<string, string>) =>
        writeFile(join(folder, 'package.json'), JSON.stringify({ ...wanted, overrides: more }, null, 2));
      await installWithReplacements({ ...(await findReplacements(version)), ...overrides }, write, () =>
        runNpmInstall(folder, run),
      );
      await runInstallScripts(folder, run);
    },
  };
}

/**
 * Not `npm ci`: it refuses a lock without the optional packages of platforms that the registry lacks. Without
 * --legacy-peer-deps npm takes over 20 min to resolve the peers of n8n 2.x.
 */
const runNpmInstall = (cwd: string, run: RunCommand): Promise<void> =>
  run('npm', ['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd });

/** `--ignore-scripts` skips dozens of install scripts; only these two are needed. */
async function runInstallScripts(folder: string, run: RunCommand): Promise<void> {
  await run(process.execPath, ['installArchSpecificPackage.js'], { cwd: join(folder, 'node_modules', 'node') });
  await provideSqlite(folder, run);
}

/**
 * sqlite3 5 has no prebuilt binary on npm and takes minutes to build. It uses N-API, so one build serves Node 18 to 24: the
 * binary of another installed runtime is copied if there is one.
 */
async function provideSqlite(folder: string, run: RunCommand): Promise<void> {
  const module = join(folder, 'node_modules', 'sqlite3');
  const built = join('build', 'Release', 'node_sqlite3.node');
  const readVersion = async (path: string) =>
    (JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as { version: string }).version;
  if (!existsSync(module)) return;
  const others = [
    ...PINNED_RUNTIMES.map((p) => join(cacheFolder, 'runtimes', p.folder)),
    ...(await findOnDemandRuntimes()),
  ];
  for (const other of others) {
    const theirs = join(other, 'node_modules', 'sqlite3');
    if (!existsSync(join(theirs, built)) || (await readVersion(theirs)) !== (await readVersion(module))) continue;
    await cp(join(theirs, built), join(module, built));
    return;
  }
  await buildSqlite(module, run);
}

async function buildSqlite(cwd: string, run: RunCommand): Promise<void> {
  const prefix = join(dirname(process.execPath), '..');
  const places = [
    join(prefix, 'lib', 'node_modules', 'npm', 'node_modules'),
    ...(await findNpmModules()),
    dirname(cwd),
  ];
  const gyp = places.map((modules) => join(modules, 'node-gyp', 'bin', 'node-gyp.js')).find(existsSync)!;
  const nodedir = existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? [`--nodedir=${prefix}`] : [];
  await run(process.execPath, [gyp, 'rebuild', ...nodedir], { cwd });
}

/**
 * Folders that may hold npm's modules, below npm or beside it. With Homebrew and Debian, Node's folder does not hold npm. npm's
 * node-gyp is preferred to n8n's: that of an old n8n needs a module that Python 3.12 removed.
 */
async function findNpmModules(): Promise<string[]> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const npm = folders.map((folder) => join(folder, 'npm')).find(existsSync);
  if (npm === undefined) return [];
  const home = join(dirname(await realpath(npm)), '..');
  return [join(home, 'node_modules'), join(home, '..')];
}

/** The dependencies of a pinned runtime, and overrides of those whose newest versions some registries lack. */
interface Manifest {
  dependencies: Record<string, string>;
  overrides: Record<string, string>;
}

const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(runtimesFolder, folder, 'package.json'), 'utf8')) as Manifest;
