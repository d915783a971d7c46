import type { DeploymentRecord } from '../model/run.js';
import type { UpgradeConclusion } from '../features/upgrade/record.js';

/** Dependencies of n8n in the place of those that it asks for: `linkedom 0.18.12, xlsx 0.18.5`. */
export const replacedText = (replaced: NonNullable<DeploymentRecord['replaced']>): string =>
  Object.entries(replaced)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');

/** What was replaced in the versions of an upgrade, a clause for each that has any. */
export const replacedClauses = ({ from, to, replaced = {} }: UpgradeConclusion): string[] =>
  [
    { version: from, of: replaced.from ?? {} },
    { version: to, of: replaced.to ?? {} },
  ].flatMap(({ version, of }) =>
    Object.keys(of).length === 0 ? [] : [`n8n ${version} ran with ${replacedText(of)}, as the registry lacks others`],
  );
