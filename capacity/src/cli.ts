import type { ValidateOptions } from './plan/options.js';
import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { burstCommand } from './commands/burst.js';
import { cleanCommand } from './commands/clean.js';
import { withCluster } from './commands/options/cluster.js';
import { withExisting } from './commands/options/existing.js';
import { withCustomWorkflow } from './commands/options/custom-workflow.js';
import { experimentCommand } from './commands/experiment.js';
import { sweepCommand } from './commands/sweep.js';
import { payloadLimitCommand } from './commands/payload-limit.js';
import { compareCommand } from './commands/compare.js';
import { collect, withS3 } from './commands/options/output.js';
import { pm2Command } from './commands/pm2.js';
import { abortOnSignals, runProgram } from './commands/program.js';
import { recommendCommand } from './commands/recommend.js';
import { printRun, runPlan, type RunOptions } from './commands/run-plan.js';
import { soakCommand } from './commands/soak.js';
import { uploadCommand } from './commands/upload.js';
import { EXIT_CODES } from './core/exit-codes.js';
import { repository } from './core/paths.js';
import { conclude } from './run/conclude.js';
import { STEP_DEFAULTS } from './plan/times.js';
import { planFromOptions } from './plan/validate.js';
import { JUNIT_OPTION, MARKDOWN_OPTION } from './report/ci-files.js';
import type { S3Options } from './record/s3/address.js';
import { localCopy } from './record/s3/place.js';
import { terminalProgress } from './core/progress.js';
import { whereOf, type WhereOptions } from './provision/choose.js';
import { setup } from './tools/setup.js';

/** Aborted by Ctrl-C and the like, whatever is going on. */
const interruption = abortOnSignals();

const program = new Command('n8n-capacity')
  .description(
    'Finds what an n8n deployment takes before go-live, says what limits it, and writes the values that meet the SLO.',
  )
  .version(packageVersion())
  .addHelpText('after', `\n${EXIT_CODES}`);

const validateCommand = program
  .command('validate')
  .description(
    'Deploys the chart as local processes or on Kubernetes, drives it with k6, and says whether it meets the SLO.',
  )
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
    'as p95=800ms,errors=1%; latencies are above the service time; naming a percentile replaces both of the default (default: p95=800ms,p99=2s,errors=1%)',
  )
  .option(
    '--precision <share>',
    'how close the search comes to the highest sustained rate, 1% to 50%; steps get longer with it (default: 25%)',
  )
  .option(
    '--step-duration <time>',
    'measured part of a step (default: 10s; in a search 3 × the p95 objective ÷ the precision, 10s to 60s)',
  )
  .option('--warmup <time>', 'discarded part of a step before it (at least an execution and 2 s)', STEP_DEFAULTS.warmup)
  .option(
    '--drain <time>',
    'most that executions may take to end after a step, beyond their own time',
    STEP_DEFAULTS.drain,
  )
  .option('--timeout <time>', 'after which a request has failed', STEP_DEFAULTS.timeout)
  .option('--port <n>', 'port of the deployment (default: a free one)')
  .option('-o, --output <place>', 'where the run is recorded, a folder or in S3 (default: results/<time>)')
  .option('--json', 'print the result as JSON')
  .option(...JUNIT_OPTION)
  .option(...MARKDOWN_OPTION)
  .option('-q, --quiet', 'no progress')
  .addHelpText(
    'after',
    `
Examples:
  n8n-capacity validate                                   the chart's defaults: what do they take?
  n8n-capacity validate --target 20/s                     do they take 20/s, with 30 % headroom?
  n8n-capacity validate -f queue.yaml --per-day 200000 --peak 4x --slo p95=500ms,errors=0.1%
  n8n-capacity validate --set main.resources.limits.memory=4Gi --workload memory-hog --query mb=128
  n8n-capacity validate --workflow order.json --body order-body.json --target 5/s
  N8N_API_KEY=… n8n-capacity validate --provisioner existing --url https://n8n.example.org --max-rate 10/s

${EXIT_CODES}`,
  )
  .action((options: ValidateOptions & RunOptions & WhereOptions) => {
    const where = whereOf(options);
    return runPlan(planFromOptions(options), options, interruption, where);
  });

withCluster(validateCommand, 'where to deploy: process (this machine) or kubernetes; existing: what is at --url');
withCustomWorkflow(validateCommand);
withExisting(validateCommand);
withS3(validateCommand);

program.addCommand(sweepCommand(interruption));
program.addCommand(cleanCommand());
program.addCommand(payloadLimitCommand(interruption));
program.addCommand(compareCommand(interruption));
program.addCommand(recommendCommand(interruption));
program.addCommand(pm2Command(interruption));
program.addCommand(soakCommand(interruption));
program.addCommand(burstCommand(interruption));
program.addCommand(uploadCommand());
program.addCommand(experimentCommand(interruption));

const reportCommand = program
  .command('report')
  .argument(
    '<place>',
    'what validate, soak, burst or payload-limit has written, as results/<time> or s3://bucket/prefix',
  )
  .description('Judges a recorded run again and writes its report anew, of one in S3 into a copy here; runs nothing.')
  .option('--json', 'print the result as JSON')
  .action(async (place: string, options: S3Options & { json?: boolean }) => {
    const folder = await localCopy(place, options);
    printRun(await conclude(folder), options.json);
  });
withS3(reportCommand);

program
  .command('setup')
  .description('Installs what validate needs and is missing: k6, helm, n8n 2.x.')
  .option('--all', 'also n8n 1.x and 0.x, PostgreSQL and Redis')
  .option('--tools', 'only k6 and helm')
  .action((options: { all?: boolean; tools?: boolean }) =>
    setup(options.all ? 'all' : options.tools ? 'tools' : 'default', terminalProgress(false, interruption)),
  );

/** The version in capacity/package.json. */
function packageVersion(): string {
  const text = readFileSync(join(repository, 'capacity', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

await runProgram(program, interruption);
