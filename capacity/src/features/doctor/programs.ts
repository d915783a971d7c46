import { delimiter } from 'node:path';
import semver from 'semver';
import { advisoriesFor } from '../../chart/advisories.js';
import { exposureText } from '../../chart/exposure-text.js';
import { deployedVersion } from '../../chart/render.js';
import { toolPackage } from '../../core/paths.js';
import type { Exposure } from '../../model/advisories.js';
import { versionOf, waysToInstall } from '../../tools/binary.js';
import { findPrograms, type Found } from '../../tools/programs.js';
import { pinnedState, pinnedVersions } from '../../tools/runtimes.js';
import { buildToolsNeeded, findRedis, installsPackages, missingBuildTools, redisNeeded } from '../../tools/system.js';
import type { Finding } from './finding.js';

/** Checks the programs of a run and those that install them: Node, npm, tar, k6, helm, n8n, compilers, Redis. Installs nothing. */
export async function programFindings(): Promise<Finding[]> {
  const [version] = (await pinnedVersions()) as [string];
  const n8n = await pinnedState(version);
  const deployed = await deployedVersion();
  return [
    node(process.versions.node),
    npm((await versionOf('npm', ['--version']))?.version, n8n.installed),
    ...(await findPrograms()).map(program),
    { name: 'n8n', ...(n8n.installed ? here(n8nText(version, deployed)) : willBe(n8n.label)) },
    vulnerabilities(advisoriesFor(deployed)!),
    // Only an install compiles.
    ...(n8n.installed ? [] : [compilers(await missingBuildTools(), installsPackages())]),
    await redis(),
  ];
}

const here = (detail: string) => ({ state: 'ok' as const, detail });
const willBe = (label: string) => ({ state: 'installable' as const, detail: `not installed; a run installs ${label}` });

export function node(version: string): Finding {
  const { node: range } = toolPackage().engines;
  if (semver.satisfies(version, range)) return { name: 'node', ...here(version) };
  const fix = `Install Node ${semver.minVersion(range)!.major} or newer from your package manager or nodejs.org.`;
  return { name: 'node', state: 'missing', detail: `${version} is too old`, fix };
}

/**
 * @param version undefined if there is no npm
 * @param installed whether the n8n that a run uses is installed, so that npm is not needed
 */
export function npm(version: string | undefined, installed: boolean): Finding {
  if (version !== undefined) return { name: 'npm', ...here(version) };
  const fix = 'Install npm: apt-get install npm (Debian, Ubuntu), dnf install npm (Fedora), brew install node (macOS).';
  const detail = `not on PATH (${process.env.PATH?.split(delimiter).join(', ')})`;
  if (installed) return { name: 'npm', state: 'limited', detail: `${detail}: no other n8n can be installed`, fix };
  return { name: 'npm', state: 'missing', detail, fix };
}

const BY = { release: 'a run downloads its official release', go: 'a run builds it with Go (1-3 min)' };

export function program({ name, range, path, version, installable, ways }: Found): Finding {
  if (path !== undefined) return { name, ...here(`${version ?? 'unknown version'} (${path})`) };
  if (installable) return { name, state: 'installable', detail: `not installed; ${BY[installable]}` };
  const fix = `Install ${name} or Go:\n${waysToInstall(ways)}`;
  return { name, state: 'missing', detail: `no ${name} ${range}, no release for this platform, and no Go`, fix };
}

/**
 * The n8n that a run with the chart's defaults measures. Does not ask npm.
 * @param installed version that the tests run
 * @param deployed version that the chart deploys
 */
export const n8nText = (installed: string, deployed: string): string =>
  installed === deployed
    ? installed
    : `${installed}; the chart deploys ${deployed}, which a run installs if npm has it`;

/** The public vulnerabilities of the n8n that the chart deploys by default. */
export function vulnerabilities(exposure: Exposure): Finding {
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
export function compilers(missing: string[], installs: boolean): Finding {
  if (missing.length === 0) return { name: 'compilers', ...here('g++, make and python3') };
  if (installs) return { name: 'compilers', state: 'installable', detail: `a run installs ${missing.join(', ')}` };
  return { name: 'compilers', state: 'missing', detail: `no ${missing.join(', ')}`, fix: buildToolsNeeded(missing) };
}

async function redis(): Promise<Finding> {
  const found = await findRedis();
  if (found !== undefined) return { name: 'redis', ...here(found) };
  if (installsPackages()) return { name: 'redis', state: 'installable', detail: 'a run in queue mode installs it' };
  return { name: 'redis', state: 'limited', detail: 'not on PATH: queue mode cannot be tested', fix: redisNeeded() };
}
