import { UsageError } from '../../core/errors.js';
import { acknowledges } from '../../judge/bounds.js';
import type { Plan } from '../../model/plan.js';
import type { ValidateOptions } from '../../plan/options.js';
import { planFromOptions } from '../../plan/validate.js';

/** The workload that is driven by default. */
export const DEFAULT_WORKLOAD = 'webhook-ack';

/** Times of a trial, as a user would write them. A process that has just started is slower for some seconds. */
export const TRIAL_DEFAULTS = { warmup: '8s', step: '20s' } as const;

/** Clients of a closed loop that keep n8n busy. `CLIENTS_PER_SECOND` more are added for each second of service time. */
const CLIENTS = 20;
const CLIENTS_PER_SECOND = 20;

/** What each trial drives, one load after the other. Throws UsageError. */
export function trialPlan(options: ValidateOptions): Plan {
  const { workload = [], mix, workflow, webhook } = options;
  const hasSource = workload.length > 0 || [mix, workflow, webhook].some((source) => source !== undefined);
  const asked = { stepDuration: TRIAL_DEFAULTS.step, ...options, ...(!hasSource && { workload: [DEFAULT_WORKLOAD] }) };
  const plan = planFromOptions({ ...asked, clients: options.clients ?? '1' });
  const load = plan.loads.find(acknowledges);
  if (load)
    throw new UsageError(
      `${load.name}: answers before its work is done, so that clients which wait for answers would flood n8n; choose a workload that answers after its work, such as the same workflow with "Respond: When Last Node Finishes".`,
    );
  if (options.clients !== undefined) return plan;
  return { ...plan, rates: { kind: 'closed', clients: CLIENTS, clientsPerSecond: CLIENTS_PER_SECOND } };
}
