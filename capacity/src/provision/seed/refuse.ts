import { lt } from 'semver';
import { UsageError } from '../../core/errors.js';
import type { Plan } from '../../model/plan.js';

/** What n8n keeps of an execution has a table of its own (`execution_data`) since this version. */
export const SEEDABLE_SINCE = '1.0.0';

/** Throws UsageError if an n8n of this version cannot be given executions. */
export function refuseSeeding({ seedExecutions }: Plan, version: string): void {
  if (seedExecutions !== undefined && lt(version, SEEDABLE_SINCE))
    throw new UsageError(
      `--seed-executions: n8n ${version} keeps executions in other tables; omit this option, or use n8n ${SEEDABLE_SINCE} or newer.`,
    );
}

/** Throws UsageError if the plan asks for executions in the database of an existing n8n. */
export function refuseSeedingOfExisting({ seedExecutions }: Plan): void {
  if (seedExecutions !== undefined)
    throw new UsageError('--seed-executions: the database of an existing n8n is left as it is: omit it.');
}
