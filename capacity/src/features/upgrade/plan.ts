import { gte } from 'semver';
import { runAllChecks } from '../../core/all-of.js';
import { UsageError } from '../../core/errors.js';
import type { Plan } from '../../model/plan.js';
import type { ValidateOptions } from '../../plan/options.js';
import { wholeNumber } from '../../plan/quantities.js';
import { resolvePublishedVersion } from '../../tools/published.js';
import { trialPlan } from '../trial/plan.js';

/** The flags of `n8n-capacity upgrade`, as commander hands them over. */
export interface UpgradeOptions extends Omit<ValidateOptions, 'workload'> {
  workload?: string;
  from: string;
  to: string;
  pairs: string;
  executions: string;
}

/** A request to `upgrade`. */
export interface UpgradeRequest {
  /** The command, for the record. */
  tool: string;
  from: string;
  to: string;
  /** Clients in a closed loop; its values are those of both versions. */
  plan: Plan;
  pairs: number;
  executions: number;
}

/** Deployments of each version. Fewer than three give no useful interval. */
const MIN_PAIRS = 3;
const MAX_PAIRS = 50;
/** Executions that n8n keeps by default before it deletes the oldest. */
const MAX_EXECUTIONS = 10_000;

/** Reads the flags. Throws UsageError. */
export async function readUpgradeRequest({
  from,
  to,
  pairs,
  executions,
  workload,
  ...load
}: UpgradeOptions): Promise<UpgradeRequest> {
  const request = {
    tool: 'n8n-capacity upgrade',
    ...runAllChecks({
      plan: () => trialPlan({ ...load, ...(workload !== undefined && { workload: [workload] }) }),
      pairs: () => wholeNumber(pairs, '--pairs', MIN_PAIRS, MAX_PAIRS),
      executions: () => wholeNumber(executions, '--executions', 0, MAX_EXECUTIONS),
    }),
    from: await resolvePublishedVersion(from, '--from'),
    to: await resolvePublishedVersion(to, '--to'),
  };
  if (gte(request.from, request.to))
    throw new UsageError(
      `--from ${request.from} --to ${request.to}: is not an upgrade; an older n8n does not start on a newer database. Give the older one as --from.`,
    );
  return request;
}
