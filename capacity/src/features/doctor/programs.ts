import { delimiter } from 'node:path';
import semver from 'semver';
import { advisoriesFor } from '../../chart/advisories.js';
import { exposureText } from '../../chart/exposure-text.js';
import { deployedVersion } from '../../chart/render.js';
import { readToolPackage } from '../../core/paths.js';
import type { Exposure } from '../../model/advisories.js';
import { readVersion, formatInstallWays } from '../../tools/binary.js';
import { findPrograms, type FoundProgram } from '../../tools/programs.js';
import { readPinnedState, readPinnedVersions } from '../../tools/runtimes.js';
import {
  describeMissingBuildTools,
  findRedis,
  canInstallPackages,
  findMissingBuildTools,
  describeMissingRedis,
} from '../../tools/system.js';
import type { Finding } from './finding.js';

/** Checks the programs of a run and those that install them: Node, npm, tar, k6, helm, n8n, compilers, Redis. Installs nothing. */
export async function checkPrograms(): Promise<Finding[]> {
  const [version] = (await readPinnedVersions()) as [string];
  const n8n = await readPinnedState(version);
  const deployed = await deployedVersion();
  return [
    nodeFinding(process.versions.node),
    npmFinding((await readVersion('npm', ['--version']))?.version, n8n.installed),
    ...(await findPrograms()).map(programFinding),
    { name: 'n8n', ...(n8n.installed ? okState(describeN8n(version, deployed)) : installableState(n8n.label)) },
    vulnerabilitiesFinding(advisoriesFor(deployed)!),
    // Only an install compiles.
    ...(n8n.installed ? [] : [compilersFinding(await findMissingBuildTools(), canInstallPackages())]),
    await checkRedis(),
  ];
}

const okState = (detail: string) => ({ state: 'ok' as const, detail });
const installableState = (label: string) => ({
  state: 'installable' as const,
  detail: `not installed; a run installs ${label}`,
});

export function nodeFinding(version: string): Finding {
  const { node: range } = readToolPackage().engines;
  if (semver.satisfies(version, range)) return { name: 'node', ...okState(version) };
  const fix = `Install Node ${semver.minVersion(range)!.major} or newer from your package manager or nodejs.org.`;
  return { name: 'node', state: 'missing', detail: `${version} is too old`, fix };
}

/**
 * @param version undefined if there is no npm
 * @param installed whether the n8n that a run uses is installed, so that npm is not needed
 */
export function npmFinding(version: string | undefined, installed: boolean): Finding {
  if (version !== undefined) return { name: 'npm', ...okState(version) };
  const fix = 'Install npm: apt-get install npm (Debian, Ubuntu), dnf install npm (Fedora), brew install node (macOS).';
  const detail = `not on PATH (${process.env.PATH?.split(delimiter).join(', ')})`;
  if (installed) return { name: 'npm', state: 'limited', detail: `${detail}: no other n8n can be installed`, fix };
  return { name: 'npm', state: 'missing', detail, fix };
}

const INSTALLED_BY = { release: 'a run downloads its official release', go: 'a run builds it with Go (1-3 min)' };

export function programFinding({ name, range, path, version, installable, ways }: FoundProgram): Finding {
  if (path !== undefined) return { name, ...okState(`${version ?? 'unknown version'} (${path})`) };
  if (installable) return { name, state: 'installable', detail: `not installed; ${INSTALLED_BY[installable]}` };
  const fix = `Install ${name} or Go:\n${formatInstallWays(ways)}`;
  return { name, state: 'missing', detail: `no ${name} ${range}, no release for this platform, and no Go`, fix };
}

/**
 * The n8n that a run with the chart's defaults measures. Does not ask npm.
 * @param installed version that the tests run
 * @param deployed version that the chart deploys
 */
export const describeN8n = (installed: string, deployed: string): string =>
  installed === deployed
    ? installed
    : `${installed}; the chart deploys ${deployed}, which a run installs if npm has it`;

/** The public vulnerabilities of the n8n that the chart deploys by default. */
export function vulnerabilitiesFinding(exposure: Exposure): Finding {
  const name = 'vulnerabilities';
  const detail = exposureText(exposure);
  const [worst] = exposure.known;
  if (worst === undefined) return { name, state: 'ok', detail };
  const until = worst.do === undefined ? '' : ` Until then: ${worst.do}.`;
  return { name, state: 'limited', detail, fix: `Set image.tag to ${worst.fixedIn} or newer.${until}` };
}

/**
 * @param missing names of programs
 * @param installs whether a run installs them
 */
export function compilersFinding(missing: string[], installs: boolean): Finding {
  if (missing.length === 0) return { name: 'compilers', ...okState('g++, make and python3') };
  if (installs) return { name: 'compilers', state: 'installable', detail: `a run installs ${missing.join(', ')}` };
  return {
    name: 'compilers',
    state: 'missing',
    detail: `no ${missing.join(', ')}`,
    fix: describeMissingBuildTools(missing),
  };
}

async function checkRedis(): Promise<Finding> {
  const found = await findRedis();
  if (found !== undefined) return { name: 'redis', ...okState(found) };
  if (canInstallPackages()) return { name: 'redis', state: 'installable', detail: 'a run in queue mode installs it' };
  return {
    name: 'redis',
    state: 'limited',
    detail: 'not on PATH: queue mode cannot be tested',
    fix: describeMissingRedis(),
  };
}
