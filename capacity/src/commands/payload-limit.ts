import { Command } from 'commander';
import { concludeCeilings, findCeiling } from '../run/payload-limit.js';
import { EXIT, EXIT_CODES } from '../core/exit-codes.js';
import { ceilingPlan, type CeilingOptions } from '../plan/payload-limit.js';
import { STEP_DEFAULTS } from '../plan/defaults.js';
import { processes } from '../provision/process/process-provisioner.js';
import { readRun } from '../record/recorder.js';
import { printCeiling } from '../report/terminal/payload-limit.js';
import { terminalProgress } from '../core/progress.js';
import { collect, keeping, outputOf, printResult, withS3, type OutputOptions } from './options/output.js';

/** `n8n-capacity ceiling`. */
export const ceilingCommand = (signal: AbortSignal): Command => withS3(command(signal));

const command = (signal: AbortSignal): Command =>
  new Command('ceiling')
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
    .action((options: CeilingOptions & OutputOptions) => run(options, signal));

async function run(options: CeilingOptions & OutputOptions, signal: AbortSignal): Promise<void> {
  const plan = ceilingPlan(options);
  const output = outputOf(options);
  const progress = terminalProgress(options.quiet, signal);
  await keeping(output, signal, async () => {
    const conclusion = await findCeiling(plan, output.folder, processes, progress);
    printResult(conclusion, options.json, printCeiling);
    process.exitCode = EXIT[conclusion.verdict];
  });
}

/** Judges a recorded ceiling again and prints it; false when the folder holds another kind of run. Throws InputError. */
export async function reportCeiling(folder: string, json?: boolean): Promise<boolean> {
  if ((await readRun(folder)).run.plan.rates.kind !== 'ceiling') return false;
  const conclusion = await concludeCeilings(folder);
  printResult(conclusion, json, printCeiling);
  process.exitCode = EXIT[conclusion.verdict];
  return true;
}

const HELP = `
Each try holds a payload on the heap in so many executions at once; it survives when every request is answered and nothing
dies. The payload is found by bisection from 16 MB to what load targets may hold in a process, to within 16 MB or 5 %: about
8 tries of 10 s each for a number of clients. It ends n8n over and over: that is what it is for.

Examples:
  n8n-capacity ceiling                                             the chart's defaults, for 1, 2 and 4 at once
  n8n-capacity ceiling -f my-values.yaml --concurrency 1,10
  n8n-capacity ceiling --set main.resources.limits.memory=1Gi --set main.heap.n8n=400 --concurrency 1

${EXIT_CODES}
PASS here means that every concurrency has its answer.`;
