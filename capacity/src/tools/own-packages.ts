import semver from 'semver';
import { EnvironmentFault } from '../core/errors.js';
import { replacement, versionsOf, view } from './published.js';

/** Packages that n8n publishes together with itself and depends on at exact versions. */
const OWN = /^(@n8n\/|n8n-)/;
/** Own packages replaced at most: with more, it would be a different n8n. */
const MOST_REPLACED = 3;
/** Queries to npm at the same time; each is a process. */
const AT_ONCE = 4;

/**
 * The versions that replace n8n's own packages that npm lacks. An install reports only one of them, and takes minutes.
 * @param version a published n8n
 * @throws EnvironmentFault when npm lacks too many, with the versions to try instead
 */
export async function replacedPackages(version: string): Promise<Record<string, string>> {
  const wanted = await ownPackages(version);
  const known: Record<string, string[]> = {};
  for (let i = 0; i < wanted.length; i += AT_ONCE)
    await Promise.all(wanted.slice(i, i + AT_ONCE).map(async ([name]) => (known[name] = await versionsOf(name))));
  const lacking = wanted.filter(([name, range]) => !known[name]!.includes(range));
  if (lacking.length > MOST_REPLACED) throw new EnvironmentFault(incomplete(version, lacking, await versionsOf('n8n')));
  return Object.fromEntries(
    lacking.flatMap(([name, range]) => {
      const instead = replacement(range, known[name]!);
      return instead === undefined ? [] : [[name, instead]];
    }),
  );
}

/** Whether npm has enough of n8n's own packages for a version. With more of them replaced, it would be a different n8n. */
export async function isComplete(version: string): Promise<boolean> {
  const wanted = await ownPackages(version);
  let lacking = 0;
  for (let i = 0; i < wanted.length && lacking <= MOST_REPLACED; i += AT_ONCE) {
    const has = await Promise.all(
      wanted.slice(i, i + AT_ONCE).map(async ([name, range]) => (await versionsOf(name)).includes(range)),
    );
    lacking += has.filter((one) => !one).length;
  }
  return lacking <= MOST_REPLACED;
}

/** n8n's own packages among its dependencies, with the exact versions that it depends on. */
async function ownPackages(version: string): Promise<[string, string][]> {
  const dependencies = (await view<Record<string, string>>(`n8n@${version}`, 'dependencies')) ?? {};
  return Object.entries(dependencies).filter(([name, range]) => OWN.test(name) && semver.valid(range) !== null);
}

/**
 * Describes why a version cannot be installed, and names the newest version of each neighbouring minor version.
 * @param lacking names and versions
 * @param all every version of n8n
 */
export function incomplete(version: string, lacking: [string, string][], all: string[]): string {
  const minorOf = (v: string) => `${semver.major(v)}.${semver.minor(v)}`;
  const others = all
    .filter((v) => semver.prerelease(v) === null && minorOf(v) !== minorOf(version))
    .sort(semver.compare);
  const below = others.findLast((v) => semver.lt(v, version));
  const next = others.find((v) => semver.gt(v, version));
  const above = next && others.findLast((v) => minorOf(v) === minorOf(next));
  const first = lacking.slice(0, 3).map(([name, range]) => `${name} ${range}`);
  const instead = [below, above].filter((v) => v !== undefined).join(' or ');
  return `n8n ${version} is not complete in npm: ${lacking.length} of its own packages are missing (${first.join(', ')} …). Try ${instead}.`;
}
