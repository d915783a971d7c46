import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentFault } from '../core/errors.js';
import { runtimesFolder } from '../core/paths.js';
import type { Progress } from '../core/progress.js';
import { findOnPath, readVersion, formatInstallWays, type InstallWays } from './binary.js';
import { ensureInstalled, findInstalled, type RunCommand } from './install.js';
import { hasRelease, NoRelease, unpackRelease } from './releases.js';

/** A single-file program that its project releases and that Go can build. */
interface Program {
  name: 'k6' | 'helm';
  version: string;
  /** Accepted versions on PATH. */
  range: string;
  versionArgs: string[];
  ways: InstallWays;
  recipe(): Promise<string>;
  build(folder: string, run: RunCommand): Promise<void>;
}

const K6_VERSION = '2.2.0';
const HELM_VERSION = '4.3.1';
/** Sets the version as Helm's releases do; without it helm prints v4.3. */
const HELM_STAMP = `-X helm.sh/helm/v4/internal/version.version=v${HELM_VERSION}`;

const k6: Program = {
  name: 'k6',
  version: K6_VERSION,
  range: '^2.0.0',
  versionArgs: ['version'],
  ways: {
    debian: 'apt-get install k6, from the package repository that k6 documents',
    fedora: 'dnf install k6, from the package repository that k6 documents',
    macos: 'brew install k6',
    docker: `copy /usr/bin/k6 out of the image grafana/k6:${K6_VERSION}`,
  },
  recipe: async () =>
    `${await readFile(join(runtimesFolder, 'k6', 'go.mod'), 'utf8')}${await readFile(join(runtimesFolder, 'k6', 'go.sum'), 'utf8')}`,
  async build(folder, run) {
    await cp(join(runtimesFolder, 'k6'), join(folder, 'source'), { recursive: true });
    await run('go', ['build', '-trimpath', '-o', join(folder, 'k6'), '.'], { cwd: join(folder, 'source'), env: goEnv });
  },
};

const helm: Program = {
  name: 'helm',
  version: HELM_VERSION,
  range: '^4.0.0',
  versionArgs: ['version', '--short'],
  ways: {
    debian: 'apt-get install helm, from the package repository that Helm documents',
    fedora: 'dnf install helm',
    macos: 'brew install helm',
    docker: `copy /usr/bin/helm out of the image alpine/helm:${HELM_VERSION}`,
  },
  recipe: () => Promise.resolve(`${HELM_VERSION} ${HELM_STAMP}`),
  async build(folder, run) {
    const args = ['install', '-trimpath', '-ldflags', HELM_STAMP, `helm.sh/helm/v4/cmd/helm@v${HELM_VERSION}`];
    await run('go', args, { env: { ...goEnv, GOBIN: folder } });
  },
};

const goEnv = { CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };

async function ensureProgram(program: Program, progress: Progress): Promise<string> {
  const found = await findOnPath(program.name, program.versionArgs, program.range);
  if (found) return found;
  return join(await ensureInstalled(await toInstallable(program, progress), progress), program.name);
}

/** The release and the build with Go give the same version, so they share a recipe. */
const toInstallable = async (program: Program, progress: Progress) => ({
  folder: `tools/${program.name}`,
  label: `${program.name} ${program.version} (its release, 10 s; built with Go, 1-3 min)`,
  recipe: await program.recipe(),
  needsMiB: 1500,
  build: (folder: string, run: RunCommand) => installReleaseOrBuild(program, folder, run, progress),
});

/** Installs the official release; if it is unavailable, builds the program with Go. */
async function installReleaseOrBuild(
  program: Program,
  folder: string,
  run: RunCommand,
  progress: Progress,
): Promise<void> {
  const { name, version, versionArgs } = program;
  const unpacked = join(folder, 'release');
  try {
    await mkdir(unpacked);
    const found = await unpackRelease(name, version, unpacked, run, progress.signal);
    if ((await readVersion(found, versionArgs))?.version !== version)
      throw new NoRelease(`the released ${name} does not run here`);
    await rename(found, join(folder, name));
  } catch (error) {
    if (!(error instanceof NoRelease)) throw error;
    if (!(await readVersion('go', ['version']))) throw new EnvironmentFault(describeMissing(program, error.message));
    progress.line(`  ${error.message}; building ${name} with Go`);
    await program.build(folder, run);
  }
  await rm(unpacked, { recursive: true });
}

const describeMissing = (program: Program, reason: string) =>
  `${program.name} ${program.range} is not on PATH, its release could not be downloaded (${reason}), and Go, which could build it, is missing. ` +
  `Install ${program.name} or Go:\n${formatInstallWays(program.ways)}`;

/** k6 from PATH if its version fits, else installed once into the cache. Throws EnvironmentFault that says how to install it. */
export const ensureK6 = (progress: Progress): Promise<string> => ensureProgram(k6, progress);

/** Helm from PATH if its version fits, else installed once into the cache. Throws EnvironmentFault. */
export const ensureHelm = (progress: Progress): Promise<string> => ensureProgram(helm, progress);

/** Where a program is, or how it can be installed. Finding out installs nothing and contacts no server. */
export interface FoundProgram {
  name: string;
  range: string;
  /** Its path; undefined if it is not installed. */
  path?: string;
  version?: string;
  /** How it would be installed; undefined if it cannot be. */
  installable?: 'release' | 'go';
  ways: InstallWays;
}

/** Finds k6 and helm on this machine. */
export const findPrograms = (): Promise<FoundProgram[]> => Promise.all([k6, helm].map(findProgram));

async function findProgram(program: Program): Promise<FoundProgram> {
  const { name, range, version, versionArgs, ways } = program;
  const folder = await findInstalled({ folder: `tools/${name}`, recipe: await program.recipe() });
  const path = (await findOnPath(name, versionArgs, range)) ?? (folder && join(folder, name));
  if (path !== undefined) {
    const found = (await readVersion(path, versionArgs))?.version;
    return { name, range, ways, path, ...(found !== undefined && { version: found }) };
  }
  if (hasRelease(name, version)) return { name, range, ways, installable: 'release' };
  return { name, range, ways, ...((await readVersion('go', ['version'])) && { installable: 'go' as const }) };
}
