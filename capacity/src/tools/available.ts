import semver from 'semver';
import { EnvironmentFault, messageOf, UsageError } from '../core/errors.js';
import { hasOwnPackages } from './own-packages.js';
import { nearestVersions, fetchVersions } from './published.js';

/** The n8n that a local run measures. */
export interface AvailableN8n {
  asked: string;
  /** The n8n that is run. */
  version: string;
  /** Why it is not the version asked for, as a sentence without a full stop; undefined if it is. */
  why?: string;
}

/** The versions that are available without npm. */
export interface LocalVersions {
  /** The versions with a lock file. */
  pinned: string[];
  /** The versions in the cache. */
  installed: string[];
}

/** Queries to npm; replaced in tests. */
export interface NpmQueries {
  versions: () => Promise<string[]>;
  /** Whether it has n8n's own packages of a version that it lists. */
  isComplete: (version: string) => Promise<boolean>;
}

const NPM: NpmQueries = { versions: () => fetchVersions('n8n'), isComplete: hasOwnPackages };

/**
 * Chooses the n8n that a local run measures: the version asked for, else the nearest available patch of the same minor version.
 * Without npm, only pinned and installed versions are available.
 * @throws UsageError that names the nearest versions if there is no patch, EnvironmentFault if npm cannot be asked
 */
export async function chooseAvailableN8n(
  asked: string,
  { pinned, installed }: LocalVersions,
  npm = NPM,
): Promise<AvailableN8n> {
  const here = [...pinned, ...installed].filter((version) => semver.valid(version) !== null);
  if (here.some((version) => semver.eq(version, asked))) return { asked, version: asked };
  const listed = await npm.versions().catch((error: unknown) => {
    if (!(error instanceof EnvironmentFault)) throw error;
    return error;
  });
  if (listed instanceof Error) {
    const [version] = nearestPatches(asked, here);
    if (version === undefined) throw listed;
    return describeSubstitute(
      asked,
      version,
      `n8n ${asked} is not installed, and ${messageOf(listed).replace(/\.$/, '')}`,
    );
  }
  const hasIt = listed.includes(asked);
  if (hasIt && (await npm.isComplete(asked))) return { asked, version: asked };
  const lacks = hasIt ? `npm lacks packages of n8n ${asked}` : `n8n ${asked} is not on npm`;
  for (const version of nearestPatches(asked, [...here, ...listed]))
    if (here.includes(version) || (version !== asked && (await npm.isComplete(version))))
      return describeSubstitute(asked, version, lacks);
  const near = nearestVersions(asked, listed);
  throw new UsageError(
    `image.tag: ${lacks}, and no other patch of ${semver.major(asked)}.${semver.minor(asked)} is available.${near.length > 0 ? ` The nearest versions are ${near.join(', ')}.` : ''} Set image.tag to one of them.`,
  );
}

const describeSubstitute = (asked: string, version: string, lacks: string): AvailableN8n => ({
  asked,
  version,
  why: `${lacks}; this run measures ${version}`,
});

/** Releases of the same minor version, the nearest first; of two that are equally near, the newer first. */
function nearestPatches(asked: string, all: string[]): string[] {
  const distance = (version: string) => Math.abs(semver.patch(version) - semver.patch(asked));
  return [...new Set(all)]
    .filter(
      (version) =>
        semver.prerelease(version) === null &&
        semver.satisfies(version, `~${releaseCore(asked)}`.replace(/\.\d+$/, '.0')),
    )
    .sort((a, b) => distance(a) - distance(b) || semver.rcompare(a, b));
}

const releaseCore = (version: string): string =>
  `${semver.major(version)}.${semver.minor(version)}.${semver.patch(version)}`;
