import { existsSync } from 'node:fs';
import { execa, ExecaError } from 'execa';
import { messageOf, EnvironmentFault } from '../core/errors.js';
import { lastLines } from '../core/log-file.js';
import type { Progress } from '../core/progress.js';
import { readVersion, formatInstallWays, type InstallWays } from './binary.js';

const canUseApt = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/** RUNLEVEL=1 keeps Debian's maintainer scripts from starting services. */
const aptEnv = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };

async function installWithApt(packages: string[]): Promise<void> {
  const apt = (...args: string[]) => execa('apt-get', [...args], { env: aptEnv, stdin: 'ignore', all: true });
  try {
    await apt('update', '-qq');
    await apt('install', '-y', '-qq', '--no-install-recommends', ...packages);
  } catch (error) {
    const output = lastLines(error instanceof ExecaError ? String(error.all ?? '') : messageOf(error), 3);
    throw new EnvironmentFault(`apt-get could not install ${packages.join(', ')}; install it by hand.\n${output}`);
  }
}

const isInstalled = async (command: string, args = ['--version']) => (await readVersion(command, args)) !== undefined;

async function ensureNetworkTool(progress: Progress, command: string, packages: string[]): Promise<void> {
  // Not `readVersion`: nginx prints its version to stderr.
  const isThere = async () => !(await execa(command, ['-V'], { reject: false, stdin: 'ignore' })).failed;
  if (await isThere()) return;
  const names = packages.join(', ');
  if (!canUseApt())
    throw new EnvironmentFault(`${command} is missing. Install it: apt-get install ${packages.join(' ')} (Debian).`);
  await progress.during(`installing ${names} (Debian packages, a few seconds)`, () => installWithApt(packages));
}

/** Requires `nginx`; installs it if missing, on Debian as root. Throws EnvironmentFault. */
export const ensureNginx = (progress: Progress): Promise<void> => ensureNetworkTool(progress, 'nginx', ['nginx']);

/** Requires `iptables` and `ip`; installs them if missing, on Debian as root. Throws EnvironmentFault. */
export const ensureIptables = (progress: Progress): Promise<void> =>
  ensureNetworkTool(progress, 'iptables', ['iptables', 'iproute2']);

/** Requires a C++ compiler, make and Python, which build sqlite3; installs them if missing, on Debian as root. */
export async function ensureBuildTools(): Promise<void> {
  const missing = await findMissingBuildTools();
  if (missing.length === 0) return;
  if (canUseApt()) return installWithApt(missing);
  throw new EnvironmentFault(describeMissingBuildTools(missing));
}

/** Which of the programs that compile sqlite3 are missing; each is a Debian package of the same name. */
export async function findMissingBuildTools(): Promise<string[]> {
  const missing = [];
  for (const command of ['g++', 'make', 'python3']) if (!(await isInstalled(command))) missing.push(command);
  return missing;
}

/** Whether this process can install Debian packages: it then installs missing ones without asking. */
export const canInstallPackages = (): boolean => canUseApt();

/** The error message for a missing Redis, with ways to install one. */
export const describeMissingRedis = (): string =>
  `queue mode needs redis-server or valkey-server on PATH. Install one:\n${formatInstallWays(redisWays)}`;

/** `redis-server` or `valkey-server`, whichever is on PATH; undefined: neither. */
export async function findRedis(): Promise<string | undefined> {
  for (const name of ['redis-server', 'valkey-server']) if (await isInstalled(name)) return name;
  return undefined;
}

/** The error message for missing programs that compile sqlite3, with ways to install them. */
export const describeMissingBuildTools = (missing: string[]): string =>
  `${missing.join(', ')} missing, needed to compile n8n's sqlite3. Install: apt-get install ${missing.join(' ')} (Debian, Ubuntu), dnf install ${missing.join(' ').replace('g++', 'gcc-c++')} (Fedora), xcode-select --install (macOS).`;

const redisWays: InstallWays = {
  debian: 'apt-get install redis-server',
  fedora: 'dnf install valkey',
  macos: 'brew install redis',
  docker: 'not from an image: redis-server or valkey-server must be on PATH',
};

/**
 * `redis-server` or `valkey-server` from PATH; installs Redis if both are missing, on Debian as root.
 * @throws EnvironmentFault that says how to install one
 */
export async function ensureRedis(progress: Progress): Promise<string> {
  const found = await findRedis();
  if (found !== undefined) return found;
  if (!canUseApt()) throw new EnvironmentFault(describeMissingRedis());
  await progress.during('installing redis-server (Debian package, a few seconds)', () =>
    installWithApt(['redis-server']),
  );
  return 'redis-server';
}
