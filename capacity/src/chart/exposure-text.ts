import { advisoriesFor } from './advisories.js';
import type { Exposure, ExposureChange, KnownAdvisory } from '../model/advisories.js';
import type { DeploymentRecord } from '../model/run.js';

/** The part of a run's record that identifies its n8n. */
interface Measured {
  versions: { n8n: string };
  deployment: Pick<DeploymentRecord, 'askedVersion' | 'askedWhy'>;
}

const NEEDED: Record<KnownAdvisory['needs'], string> = {
  none: 'no login',
  link: 'the address of a waiting execution',
  login: 'an account',
  editor: 'an account that edits workflows',
  admin: 'an administrator',
};

/** The known vulnerabilities of the n8n that the values of a run deploy; undefined if its version is unknown. */
export const knownExposure = ({ versions, deployment }: Measured): Exposure | undefined =>
  advisoriesFor(deployment.askedVersion ?? versions.n8n);

/** The n8n version that the values of a run ask for, the measured version, and why they differ if they do. */
export const measuredVersion = ({
  versions,
  deployment,
}: Measured): { asked: string; measured: string; why?: string } => ({
  asked: deployment.askedVersion ?? versions.n8n,
  measured: versions.n8n,
  ...(deployment.askedWhy !== undefined && { why: deployment.askedWhy }),
});

const countText = (known: KnownAdvisory[]) =>
  `${known.length} known ${known.length === 1 ? 'vulnerability' : 'vulnerabilities'}`;
const withoutLoginText = (needing: number) => `${needing === 0 ? 'none' : needing} without a login`;

/** `n8n 2.41.1 has 13 known vulnerabilities, 2 without a login (list of 2026-12-01); the worst is …`: no full stop. */
export function exposureText({ version, date, isNewer, known, withoutLogin }: Exposure): string {
  if (isNewer && known.length === 0) return `n8n ${version} is newer than the list of vulnerabilities of ${date}`;
  if (known.length === 0) return `n8n ${version} has no known vulnerability (list of ${date})`;
  const newer = isNewer ? `, older than n8n ${version}` : '';
  const worst = known[0]!;
  return `n8n ${version} has ${countText(known)}, ${withoutLoginText(withoutLogin)} (list of ${date}${newer}); the worst is ${worst.id}, fixed in ${worst.fixedIn}`;
}

/** `closes 11 known vulnerabilities, 2 without a login, opens none, keeps 2 (CVE-…) (list of 2026-12-01)`: no full stop. */
export function exposureChangeText({
  date,
  isNewer,
  closes,
  closesWithoutLogin,
  opens,
  stays,
}: ExposureChange): string {
  const closed =
    closes.length === 0
      ? 'closes no known vulnerability'
      : `closes ${countText(closes)}, ${withoutLoginText(closesWithoutLogin)}`;
  const opened = opens.length === 0 ? 'none' : `${opens.length} (${joinIds(opens)})`;
  const kept = stays.length === 0 ? '' : `, keeps ${stays.length} (${joinIds(stays)})`;
  const newer = isNewer ? '; the new version is newer than the list' : '';
  return `${closed}, opens ${opened}${kept} (list of ${date})${newer}`;
}

const joinIds = (known: KnownAdvisory[]): string => known.map(({ id }) => id).join(', ');

/** A clause with what an attacker needs, and where it applies. */
export const needsText = ({ needs, where }: KnownAdvisory): string =>
  where === undefined ? NEEDED[needs] : `${NEEDED[needs]}, where ${where}`;
