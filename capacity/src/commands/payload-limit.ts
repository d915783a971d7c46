import type { Command } from 'commander';
import { exitCodesHelp } from '../core/exit-codes.js';
import { payloadLimitPlan, type PayloadLimitOptions } from '../plan/payload-limit.js';
import { withValues } from './options/deployment.js';
import { withDryRun } from './options/dry-run.js';
import { withHelpAll } from './options/help-all.js';
import { withTimeout } from './options/load.js';
import { withOutput, withS3 } from './options/output.js';
import { withWatch } from './options/watch.js';
import { runPlan, type RunOptions } from './run-plan.js';

/** `n8n-capacity payload-limit`. */
export function definePayloadLimit(command: Command, signal: AbortSignal): Command {
  withValues(command)
    .option('--concurrency <list>', 'numbers of clients that each wait for their answer', '1,2,4')
    .option('--hold <time>', 'time that an execution holds its payload, 100ms to 20s', '1s');
  withS3(withDryRun(withWatch(withOutput(withTimeout(command)))));
  return withHelpAll(command, FIRST)
    .addHelpText('after', HELP)
    .action((options: PayloadLimitOptions & RunOptions) => runPlan(payloadLimitPlan(options), options, signal));
}

/** The options that `--help` shows. */
const FIRST = ['--profile', '--values', '--set', '--concurrency', '--hold', '--dry-run'];

const HELP = `
In each try, the memory-hog workload holds a payload on the heap in several executions at once. The payload survives if every
request is answered and no process dies. A bisection finds the largest one between 16 MiB and the ceiling of the load
targets, to within 16 MiB or 5 %; it takes about 8 tries of 10 s for each concurrency. n8n crashes repeatedly during this
test: that is how the limit is found.

Examples:
  # The chart's defaults, with 1, 2 and 4 executions at once
  n8n-capacity payload-limit

  n8n-capacity payload-limit -f my-values.yaml --concurrency 1,10
  n8n-capacity payload-limit --set main.resources.limits.memory=1Gi --set main.heap.n8n=400 --concurrency 1

${exitCodesHelp({ 0: 'PASS: the limit was found for every concurrency', 2: 'INCONCLUSIVE: something other than n8n ended a try' })}`;
