import type { ConfigOrigin } from '../model/plan.js';
import type { CustomWorkflowOptions } from './custom-workflow/load.js';

/** What `--config` adds to the flags of a command. */
export interface ConfiguredOptions {
  /** The config file, and the flags that it gave. */
  configOrigin?: ConfigOrigin;
}

/** The flags for the chart's values, as commander hands them over. */
export interface ValuesOptions {
  profile?: string;
  values?: string[];
  set?: string[];
  setString?: string[];
  setFile?: string[];
  setJson?: string[];
}

/** The flags of `n8n-capacity validate`, as commander hands them over. */
export interface ValidateOptions extends CustomWorkflowOptions, ValuesOptions, ConfiguredOptions {
  manifests?: string;
  chart?: string;
  n8n?: string;
  env?: string[];
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
  arrivals?: string;
  seed?: string;
  overload?: boolean;
  times?: string;
  seedExecutions?: string;
  port?: string;
  cpuProfile?: boolean;
  maxRate?: string;
}

/** How an error names an option: `flag` for the command line, the key of a plan file for a sweep. */
export type Naming = (option: keyof ValidateOptions) => string;

/** The flag of an option: `--per-day` for `perDay`, the short `-f` for `values`. */
export const flag = (option: string): string =>
  option === 'values' ? '-f' : `--${option.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;

/** The workload of a command that drives a single load: the given one, or webhook-ack unless a mix, workflow or webhook is given. */
export const oneWorkload = (
  given: string | undefined,
  { mix, workflow, webhook }: Pick<ValidateOptions, 'mix' | 'workflow' | 'webhook'>,
): Pick<ValidateOptions, 'workload'> => {
  const hasOtherSource = [mix, workflow, webhook].some((other) => other !== undefined);
  return given === undefined && hasOtherSource ? {} : { workload: [given ?? 'webhook-ack'] };
};
