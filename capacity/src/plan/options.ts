import type { CustomWorkflowOptions } from './custom-workflow/load.js';

/** The flags of `n8n-capacity validate`, as commander hands them over. */
export interface ValidateOptions extends CustomWorkflowOptions {
  values?: string[];
  set?: string[];
  workload?: string[];
  mix?: string;
  target?: string;
  perDay?: string;
  peak?: string;
  headroom?: string;
  rates?: string;
  clients?: string;
  precision?: string;
  slo?: string;
  stepDuration?: string;
  warmup: string;
  drain: string;
  timeout: string;
  query?: string[];
  port?: string;
  maxRate?: string;
}

/** The flag of a plan that drives one thing: the workload that is named, or webhook-ack where nothing else says what is driven. */
export const oneWorkload = (
  named: string | undefined,
  { mix, workflow, webhook }: Pick<ValidateOptions, 'mix' | 'workflow' | 'webhook'>,
): Pick<ValidateOptions, 'workload'> => {
  const isSaid = [mix, workflow, webhook].some((given) => given !== undefined);
  return named === undefined && isSaid ? {} : { workload: [named ?? 'webhook-ack'] };
};
