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

/** What a run of `upgrade` compares. */
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

/** Three of each version are the fewest that have an interval worth looking at. */
const LEAST_PAIRS = 3;
const MOST_PAIRS = 50;
/** n8n keeps so many by default, and deletes the oldest of more. */
const MOST_EXECUTIONS = 10_000;

/** What the flags ask for. Throws UsageError. */
export async function upgradeRequest({
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
      pairs: () => wholeNumber(pairs, '--pairs', LEAST_PAIRS, MOST_PAIRS),
      executions: () => wholeNumber(executions, '--executions', 0, MOST_EXECUTIONS),
    }),
    from: await resolvePublishedVersion(from, '--from'),
    to: await resolvePublishedVersion(to, '--to'),
  };
  if (gte(request.from, request.to))
    throw new UsageError(
      `--from ${request.from} --to ${request.to}: is no upgrade; an older n8n does not start on a newer database. Give the older one as --from.`,
    );
  return request;
}
