import type { DeploymentRecord } from '../model/run.js';

/** Dependencies of n8n that replace the required ones: `linkedom 0.18.12, xlsx 0.18.5`. */
export const replacedText = (replaced: NonNullable<DeploymentRecord['replaced']>): string =>
  Object.entries(replaced)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
