import { execa } from 'execa';
import semver from 'semver';
import { EnvironmentFault, messageOf, UsageError } from '../core/errors.js';

/** Missing dependencies replaced at most; each takes another install by npm. */
const MAX_REPLACED = 10;
/** Major version of the oldest Node that is published as an npm package. */
const OLDEST_NODE_MAJOR = 18;
/** Versions that an error about an unknown version names on each side of it. */
const NEAREST_COUNT = 2;

/**
 * The major version of Node that a published n8n runs on: the oldest even one that its `engines` allow.
 * @throws UsageError when npm has no such n8n, with the nearest ones
 */
export async function chooseNodeMajor(version: string): Promise<string> {
  const exact = semver.valid(version);
  const range = exact === null ? undefined : await viewPackage<string>(`n8n@${exact}`, 'engines.node');
  if (range === undefined) {
    const near = nearestVersions(version, await fetchVersions('n8n'));
    throw new UsageError(
      `image.tag: npm has no n8n ${version}.${near.length > 0 ? ` The nearest are ${near.join(', ')}.` : ''} Set image.tag to a published version.`,
    );
  }
  return String(oldestEvenMajor(range));
}

/**
 * Resolves a version or a range, such as `2.34.x`, to a published n8n: the newest in the range.
 * @param name of the flag, for the message
 * @throws UsageError when npm has none
 */
export async function resolvePublishedVersion(asked: string, name: string): Promise<string> {
  if (semver.validRange(asked) === null)
    throw new UsageError(
      `${name} ${asked}: is not a version of n8n; give one such as 2.41.1, or a range such as 2.34.x for its newest patch.`,
    );
  // The install checks whether it exists: an installed version needs no network.
  const exact = semver.valid(asked);
  if (exact !== null) return exact;
  const all = await fetchVersions('n8n');
  const found = semver.maxSatisfying(all, asked);
  if (found !== null) return found;
  const near = nearestVersions(asked, all);
  throw new UsageError(`${name} ${asked}: npm has no such n8n. The nearest are ${near.join(', ')}.`);
}

/** The oldest even major version in a range of Node versions. */
export function oldestEvenMajor(engines: string): number {
  const { major } = semver.minVersion(engines) ?? { major: OLDEST_NODE_MAJOR };
  return Math.max(OLDEST_NODE_MAJOR, major + (major % 2));
}

/** The versions next to one, below and above. */
export function nearestVersions(version: string, all: string[]): string[] {
  const wanted = semver.coerce(version);
  const known = all.filter((v) => semver.prerelease(v) === null).sort(semver.compare);
  if (!wanted) return known.slice(-NEAREST_COUNT);
  const below = known.filter((v) => semver.lt(v, wanted));
  const above = known.filter((v) => semver.gte(v, wanted));
  return [...below.slice(-NEAREST_COUNT), ...above.slice(0, NEAREST_COUNT)];
}

/**
 * Runs `install`. If the registry lacks a required version, or a dependency is hosted elsewhere and unreachable, tries again with
 * the nearest version in the registry.
 * @param write records the replaced dependencies for the next try
 * @throws EnvironmentFault when something else is missing
 */
export async function installWithReplacements(
  known: Record<string, string>,
  write: (overrides: Record<string, string>) => Promise<void>,
  install: () => Promise<void>,
): Promise<void> {
  const overrides = { ...known };
  for (let tries = 0; ; tries++) {
    await write(overrides);
    try {
      return await install();
    } catch (error) {
      const missing = error instanceof EnvironmentFault ? parseMissing(error.message) : undefined;
      const instead = missing && tries < MAX_REPLACED ? await findReplacement(missing) : undefined;
      if (!missing || instead === undefined || overrides[missing.name] === instead) throw error;
      overrides[missing.name] = instead;
    }
  }
}

interface Missing {
  name: string;
  range: string;
}

/** npm's messages for a dependency that the registry lacks, and for an unreachable one hosted elsewhere, such as xlsx. */
const MISSING_PATTERNS = [
  /No matching version found for (?<name>@?[^@\s]+)@(?<range>\S+?)\.?(?:\s|$)/g,
  /network request to (?!\S+\/-\/)\S+\/(?<name>[a-z][\w.-]*?)-(?<range>\d+\.\d+\.\d+)\.tgz failed/g,
];

/** The dependency that npm could not install; the last one, as the log holds all tries. */
export function parseMissing(text: string): Missing | undefined {
  const found = MISSING_PATTERNS.flatMap((pattern) => [...text.matchAll(pattern)]).sort((a, b) => a.index - b.index);
  const { name, range } = found.at(-1)?.groups ?? {};
  return name !== undefined && range !== undefined ? { name, range } : undefined;
}

async function findReplacement({ name, range }: Missing): Promise<string | undefined> {
  return chooseReplacement(range, await fetchVersions(name));
}

/** The nearest version below a range that no version satisfies, else the next above. Prefers the same major version. */
export function chooseReplacement(range: string, all: string[]): string | undefined {
  const wanted = semver.minVersion(range);
  if (!wanted) return undefined;
  const known = all.filter((v) => semver.prerelease(v) === null).sort(semver.compare);
  const same = known.filter((v) => semver.major(v) === wanted.major);
  const from = same.length > 0 ? same : known;
  return from.findLast((v) => semver.lte(v, wanted)) ?? from[0];
}

/** Every version of a package in the registry. */
export const fetchVersions = async (name: string): Promise<string[]> =>
  // npm prints a single version as a string.
  [(await viewPackage<string | string[]>(name, 'versions')) ?? []].flat();

/** A field of a package in the registry; undefined where the package or its version does not exist. */
export async function viewPackage<T>(what: string, field: string): Promise<T | undefined> {
  const result = await execa('npm', ['view', what, field, '--json'], { reject: false, stdin: 'ignore' });
  if (!result.failed) return result.stdout === '' ? undefined : (JSON.parse(result.stdout) as T);
  if (/E404/.test(result.stderr + result.stdout)) return undefined;
  const [line = messageOf(result)] = result.stderr.split('\n').filter((text) => text.startsWith('npm error'));
  throw new EnvironmentFault(
    `npm view ${what} failed: ${line.replace(/^npm error /, '')}; check the network and npm's registry.`,
  );
}
