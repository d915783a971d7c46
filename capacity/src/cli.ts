import { Command } from 'commander';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './paths.js';
import { conclude, type Conclusion } from './conclude.js';
import { InputError, Interrupted, messageOf } from './errors.js';
import { planFromOptions, type ValidateOptions } from './plan/from-options.js';
import { printConclusion } from './report/terminal.js';
import { terminalProgress } from './report/progress.js';
import { setup } from './setup.js';
import { validate } from './validate.js';

/** What shells say of a program that Ctrl-C has ended. */
const INTERRUPTED = 130;

const EXIT_CODES = 'Exit code: 0 PASS, 1 FAIL, 2 INVALID, 3 the tool or its input failed, 130 interrupted.';
const EXIT = { PASS: 0, FAIL: 1, INVALID: 2, problem: 3 } as const;

/** Aborted by Ctrl-C and the like, whatever is going on. */
const interruption = abortOnSignals();

const collect = (value: string, previous: string[] = []) => [...previous, value];

const program = new Command('n8n-capacity')
  .description(
    'Finds what an n8n deployment takes before go-live, says what limits it, and writes the values that meet the SLO.',
  )
  .version(packageVersion())
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'n8n-capacity: ')) })
  .addHelpText('after', `\n${EXIT_CODES}`);

program
  .command('validate')
  .description('Deploys the chart as local processes, drives it with k6, and says whether it meets the SLO.')
  .option('-f, --values <file>', 'values file of the chart; may be repeated', collect)
  .option('--set <key=value>', 'a single value of the chart; may be repeated', collect)
  .option('--workload <name>', 'workload to drive; may be repeated (default: webhook-ack, webhook-wait)', collect)
  .option('--mix <file>', 'YAML file of workloads and weights, driven together')
  .option('--query <name=value>', "a workload's query parameter, as seconds=2 or n=500000; may be repeated", collect)
  .option('--target <rate>', 'arrival rate that must be sustained, as 20/s')
  .option('--per-day <n>', 'executions a day that must be sustained')
  .option('--peak <factor>', 'with --per-day: the busiest hour over the mean, as 4x')
  .option('--headroom <factor>', 'what must be sustained beyond the target (default: 1.3)')
  .option(
    '--rates <list>',
    'arrival rates to try in this order, as 5/s,10/s,20/s (default: search the highest sustained rate)',
  )
  .option('--clients <n>', 'closed model: clients that each wait for their answer')
  .option(
    '--slo <objectives>',
    'as p95=800ms,errors=1%; latencies are above the service time (default: p95=800ms,p99=2s,errors=1%)',
  )
  .option('--step-duration <time>', 'measured part of a step', '10s')
  .option('--warmup <time>', 'discarded part of a step before it (at least an execution and 2 s)', '3s')
  .option('--drain <time>', 'most that executions may take to end after a step, beyond their own time', '30s')
  .option('--timeout <time>', 'after which a request has failed', '60s')
  .option('--port <n>', 'port of the deployment (default: a free one)')
  .option('-o, --output <folder>', 'where the run is recorded (default: results/<time>)')
  .option('--json', 'print the result as JSON')
  .option('-q, --quiet', 'no progress')
  .addHelpText(
    'after',
    `
Examples:
  n8n-capacity validate                                   the chart's defaults: what do they take?
  n8n-capacity validate --target 20/s                     do they take 20/s, with 30 % headroom?
  n8n-capacity validate -f queue.yaml --per-day 200000 --peak 4x --slo p95=500ms,errors=0.1%
  n8n-capacity validate --set main.resources.limits.memory=4Gi --workload memory-hog --query mb=128

${EXIT_CODES}`,
  )
  .action((options: ValidateOptions & RunOptions) => runValidate(options));

program
  .command('report')
  .argument('<folder>', 'what validate has written, as results/<time>')
  .description('Judges a recorded run again and writes its report anew; runs nothing.')
  .option('--json', 'print the result as JSON')
  .action(async (folder: string, options: { json?: boolean }) => print(await conclude(folder), options.json));

program
  .command('setup')
  .description('Installs what validate needs and is missing: k6, helm, n8n 2.x.')
  .option('--all', 'also n8n 0.x, PostgreSQL and Redis')
  .option('--tools', 'only k6 and helm')
  .action((options: { all?: boolean; tools?: boolean }) =>
    setup(options.all ? 'all' : options.tools ? 'tools' : 'default', terminalProgress(false, interruption)),
  );

interface RunOptions {
  output?: string;
  json?: boolean;
  quiet?: boolean;
}

async function runValidate(options: ValidateOptions & RunOptions): Promise<void> {
  const plan = planFromOptions(options);
  const folder = options.output ?? join('results', timestamp());
  try {
    print(await validate(plan, folder, terminalProgress(options.quiet, interruption)), options.json);
  } finally {
    if (interruption.aborted && existsSync(folder)) {
      process.stderr.write(`what was recorded is in ${folder}; "n8n-capacity report ${folder}" judges what there is\n`);
    }
  }
}

function print(conclusion: Conclusion, json?: boolean): void {
  process.stdout.write(json ? `${JSON.stringify(conclusion, null, 2)}\n` : printConclusion(conclusion));
  process.exitCode = EXIT[conclusion.verdict.verdict];
}

/** The version in capacity/package.json. */
function packageVersion(): string {
  const text = readFileSync(join(repository, 'capacity', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** `2026-11-20T10-15-00`: sorts by time and is a folder's name everywhere. */
const timestamp = () => new Date().toISOString().slice(0, 19).replaceAll(':', '-');

/** The first signal asks for an orderly end, the second ends at once. */
function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(130);
      process.stderr.write('\nending what was started (again: at once)\n');
      controller.abort(new Interrupted(signal));
    });
  }
  return controller.signal;
}

function exitCodeOf(error: unknown): number {
  if (interruption.aborted) return INTERRUPTED;
  if (isCommander(error)) return error.exitCode === 0 ? 0 : EXIT.problem;
  const text =
    error instanceof InputError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : messageOf(error);
  process.stderr.write(`n8n-capacity: ${text}\n`);
  return EXIT.problem;
}

const isCommander = (error: unknown): error is { exitCode: number } =>
  error instanceof Error && error.name.startsWith('Commander');

// Nothing that goes wrong may look like a verdict: Node's own exit code for it is that of FAIL.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => process.exit(exitCodeOf(error)));
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
