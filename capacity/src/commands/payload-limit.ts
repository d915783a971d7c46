import { Command } from 'commander';
import { EXIT_CODES } from '../core/exit-codes.js';
import { payloadLimitPlan, type PayloadLimitOptions } from '../plan/payload-limit.js';
import { STEP_DEFAULTS } from '../plan/times.js';
import { runPlan } from './run-plan.js';
import { collect, withS3, type OutputOptions } from './options/output.js';

/** `n8n-capacity payload-limit`. */
export const payloadLimitCommand = (signal: AbortSignal): Command => withS3(command(signal));

const command = (signal: AbortSignal): Command =>
  new Command('payload-limit')
    .description('Finds the largest memory-hog payload that survives at each concurrency, and the limit that it meets.')
    .option('-f, --values <file>', 'values file of the chart; may be repeated', collect)
    .option('--set <key=value>', 'a single value of the chart; may be repeated', collect)
    .option('--concurrency <list>', 'clients that each wait for their answer', '1,2,4')
    .option('--hold <time>', 'how long an execution holds its payload', '1s')
    .option('--timeout <time>', 'after which a request has failed', STEP_DEFAULTS.timeout)
    .option('--port <n>', 'port of the deployment (default: a free one)')
    .option('-o, --output <place>', 'where the tries are recorded, a folder or in S3 (default: results/<time>)')
    .option('--json', 'print the result as JSON')
    .option('-q, --quiet', 'no progress')
    .addHelpText('after', HELP)
    .action((options: PayloadLimitOptions & OutputOptions) => runPlan(payloadLimitPlan(options), options, signal));

const HELP = `
Each try holds a payload on the heap in so many executions at once; it survives when every request is answered and nothing
dies. The payload is found by bisection from 16 MB to what load targets may hold in a process, to within 16 MB or 5 %: about
8 tries of 10 s each for a number of clients. It ends n8n over and over: that is what it is for.

Examples:
  n8n-capacity payload-limit                                             the chart's defaults, for 1, 2 and 4 at once
  n8n-capacity payload-limit -f my-values.yaml --concurrency 1,10
  n8n-capacity payload-limit --set main.resources.limits.memory=1Gi --set main.heap.n8n=400 --concurrency 1

${EXIT_CODES}
PASS here means that every concurrency has its answer.`;
