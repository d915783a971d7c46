import semver from 'semver';
import { EnvironmentFault } from '../core/errors.js';
import { chooseReplacement, fetchVersions, viewPackage } from './published.js';

/** Packages that n8n publishes together with itself and depends on at exact versions. */
const OWN = /^(@n8n\/|n8n-)/;
/** Own packages replaced at most: with more, it would be a different n8n. */
const MAX_REPLACED = 3;
/** Queries to npm at the same time; each is a process. */
const MAX_CONCURRENT_QUERIES = 4;

/**
 * The versions that replace n8n's own packages that npm lacks. An install reports only one of them, and takes minutes.
 * @param version a published n8n
 * @throws EnvironmentFault when npm lacks too many, with the versions to try instead
 */
export async function findReplacements(version: string): Promise<Record<string, string>> {
  const wanted = await readOwnPackages(version);
  const known: Record<string, string[]> = {};
  for (let i = 0; i < wanted.length; i += MAX_CONCURRENT_QUERIES)
    await Promise.all(
      wanted.slice(i, i + MAX_CONCURRENT_QUERIES).map(async ([name]) => (known[name] = await fetchVersions(name))),
    );
  const lacking = wanted.filter(([name, range]) => !known[name]!.includes(range));
  if (lacking.length > MAX_REPLACED)
    throw new EnvironmentFault(describeIncomplete(version, lacking, await fetchVersions('n8n')));
  return Object.fromEntries(
    lacking.flatMap(([name, range]) => {
      const instead = chooseReplacement(range, known[name]!);
      return instead === undefined ? [] : [[name, instead]];
    }),
  );
}

/** Whether npm has enough of n8n's own packages for a version. With more of them replaced, it would be a different n8n. */
export async function hasOwnPackages(version: string): Promise<boolean> {
  const wanted = await readOwnPackages(version);
  let lacking = 0;
  for (let i = 0; i < wanted.length && lacking <= MAX_REPLACED; i += MAX_CONCURRENT_QUERIES) {
    const has = await Promise.all(
      wanted
        .slice(i, i + MAX_CONCURRENT_QUERIES)
        .map(async ([name, range]) => (await fetchVersions(name)).includes(range)),
    );
    lacking += has.filter((one) => !one).length;
  }
  return lacking <= MAX_REPLACED;
}

/** n8n's own packages among its dependencies, with the exact versions that it depends on. */
async function readOwnPackages(version: string): Promise<[string, string][]> {
  const dependencies = (await viewPackage<Record<string, string>>(`n8n@${version}`, 'dependencies')) ?? {};
  return Object.entries(dependencies).filter(([name, range]) => OWN.test(name) && semver.valid(range) !== null);
}

/**
 * Describes why a version cannot be installed, and names the newest version of each neighbouring minor version.
 * @param lacking names and versions
 * @param all every version of n8n
 */
export function describeIncomplete(version: string, lacking: [string, string][], all: string[]): string {
  const minorVersion = (v: string) => `${semver.major(v)}.${semver.minor(v)}`;
  const others = all
    .filter((v) => semver.prerelease(v) === null && minorVersion(v) !== minorVersion(version))
    .sort(semver.compare);
  const below = others.findLast((v) => semver.lt(v, version));
  const next = others.find((v) => semver.gt(v, version));
  const above = next && others.findLast((v) => minorVersion(v) === minorVersion(next));
  const first = lacking.slice(0, 3).map(([name, range]) => `${name} ${range}`);
  const instead = [below, above].filter((v) => v !== undefined).join(' or ');
  return `n8n ${version} is not complete in npm: ${lacking.length} of its own packages are missing (${first.join(', ')} …). Try ${instead}.`;
}
