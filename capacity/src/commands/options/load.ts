import type { Command } from 'commander';
import { UsageError } from '../../core/errors.js';
import { STEP_DEFAULTS } from '../../plan/times.js';
import { collect } from './output.js';

/** Adds the options for the load of a command that runs several workloads, one after another. */
export const withWorkloads = (command: Command, byDefault = 'webhook-ack and webhook-expression'): Command =>
  withParameters(
    command.option('--workload <name>', `workload to run; may be repeated (default: ${byDefault})`, collect),
  );

/** Adds the options for the load of a command that runs a single workload. */
export const withOneWorkload = (command: Command): Command =>
  withParameters(command.option('--workload <name>', 'workload to run (default: webhook-ack)', refuseSecond));

const withParameters = (command: Command): Command =>
  command
    .option('--mix <file>', 'YAML file of workloads and weights, to run them together')
    .option('--query <name=value>', 'parameter of the workload, such as seconds=2; may be repeated', collect);

/** Other commands accept a second --workload, so it must not be dropped silently. Throws UsageError. */
function refuseSecond(workload: string, previous?: string): string {
  if (previous === undefined) return workload;
  throw new UsageError(
    `--workload ${workload}: is not allowed after --workload ${previous}; give one workload, or use --mix for several.`,
  );
}

/** Adds the options for the times around the measurement, the arrivals and a single request. */
export const withStepTimes = (command: Command, drain?: string): Command =>
  withAround(command, { ...(drain !== undefined && { drain }) })
    .option(
      '--arrivals <how>',
      'how requests arrive: poisson (at random, as from users who do not know of each other), even, or, with validate, a file that "n8n-capacity arrivals" wrote',
      STEP_DEFAULTS.arrivals,
    )
    .option('--seed <n>', 'seed of random arrivals; the same seed gives the same times', STEP_DEFAULTS.seed);

/** Adds the options for the times around the measurement, and for a single request. */
export const withAround = (command: Command, defaults: { warmup?: string; drain?: string } = {}): Command =>
  withTimeout(
    command
      .option(
        '--warmup <time>',
        'discarded load before the measurement; lasts at least one execution plus 2s',
        defaults.warmup ?? STEP_DEFAULTS.warmup,
      )
      .option(
        '--drain <time>',
        'longest wait for executions to end after the load, in addition to their own duration',
        defaults.drain ?? STEP_DEFAULTS.drain,
      ),
  );

/** Adds the options for the timeout of a request and the port of the deployment. */
export const withTimeout = (command: Command): Command =>
  command
    .option('--timeout <time>', 'time after which a request counts as failed', STEP_DEFAULTS.timeout)
    .option('--port <n>', 'port of the deployment (default: any free port)');
