import { join } from 'node:path';
import semver from 'semver';
import { chartFolder } from '../core/paths.js';
import { readYamlFile } from '../core/yaml.js';
import {
  advisoryListSchema,
  SEVERITIES,
  type Advisory,
  type AdvisoryList,
  type Exposure,
  type ExposureChange,
  type KnownAdvisory,
} from '../model/advisories.js';

/** The chart's list of advisories. */
export const ADVISORIES_FILE = join(chartFolder, 'files', 'advisories.yaml');

let list: AdvisoryList | undefined;

/** The public vulnerabilities of n8n that this release knows of. */
export function readAdvisories(): AdvisoryList {
  list ??= advisoryListSchema.parse(readYamlFile(ADVISORIES_FILE, ADVISORIES_FILE, 'install n8n-capacity again'));
  return list;
}

/**
 * The known vulnerabilities of a version of n8n. A pre-release has those that its release fixes. The chart's NOTES show the same
 * (templates/lib/_advisories.tpl).
 * @returns undefined for a text that is not a version, such as `unknown`
 */
export function advisoriesFor(version: string, { date, newest, advisories } = readAdvisories()): Exposure | undefined {
  const exact = semver.valid(version);
  if (exact === null) return undefined;
  const known = advisories.flatMap((advisory): KnownAdvisory[] =>
    advisory.affected
      .filter(([from, fixed]) => semver.gte(exact, from) && semver.lt(exact, fixed))
      .map(([, fixedIn]) => ({ ...advisory, fixedIn })),
  );
  known.sort((a, b) => EFFORT_RANK[a.needs] - EFFORT_RANK[b.needs] || compareRank(SEVERITIES, a.severity, b.severity));
  return { version: exact, date, isNewer: isNewerThan(newest, exact), known, withoutLogin: countWithoutLogin(known) };
}

/**
 * The vulnerabilities that an upgrade from one version of n8n to another closes, opens and keeps.
 * @returns undefined if one of them is not a version
 */
export function advisoriesBetween(from: string, to: string, all = readAdvisories()): ExposureChange | undefined {
  const [before, after] = [advisoriesFor(from, all), advisoriesFor(to, all)];
  if (!before || !after) return undefined;
  const without = (these: KnownAdvisory[], others: KnownAdvisory[]) =>
    these.filter(({ id }) => !others.some((other) => other.id === id));
  const closes = without(before.known, after.known);
  return {
    date: after.date,
    isNewer: after.isNewer,
    closes,
    closesWithoutLogin: countWithoutLogin(closes),
    opens: without(after.known, before.known),
    stays: without(after.known, without(after.known, before.known)),
  };
}

/** Rank of what an attacker needs, least effort first. Nearly every account of n8n edits workflows, so `login` and `editor` are equal. */
const EFFORT_RANK: Record<Advisory['needs'], number> = { none: 0, link: 1, login: 2, editor: 2, admin: 3 };

const compareRank = <T>(order: readonly T[], a: T, b: T): number => order.indexOf(a) - order.indexOf(b);
const countWithoutLogin = (known: KnownAdvisory[]): number => known.filter(({ needs }) => needs === 'none').length;

/** Whether a version is newer than the newest of its major version. Without one, whether its major version is newer than all. */
function isNewerThan(newest: string[], version: string): boolean {
  const major = semver.major(version);
  const same = newest.find((other) => semver.major(other) === major);
  return same === undefined ? newest.every((other) => semver.major(other) < major) : semver.gt(version, same);
}
