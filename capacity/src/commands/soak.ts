import { Command } from 'commander';
import { EXIT_CODES } from '../core/exit-codes.js';
import { STEP_DEFAULTS } from '../plan/times.js';
import { soakPlan, type SoakOptions } from '../plan/soak.js';
import { refuseExisting, whereOf, type WhereOptions } from '../provision/choose.js';
import { withCluster } from './options/cluster.js';
import { withOneLoad } from './options/one-load.js';
import { withS3, type OutputOptions } from './options/output.js';
import { withCustomWorkflow } from './options/custom-workflow.js';
import { runPlan } from './run-plan.js';

/** `n8n-capacity soak`. */
export function soakCommand(signal: AbortSignal): Command {
  const command = ofSoak(signal);
  withCluster(command, 'where to deploy: process (this machine) or kubernetes');
  withCustomWorkflow(command);
  command.on(
    'option:provisioner',
    refuseExisting(
      'a soak drives what it deploys. Drive an n8n that is there with "n8n-capacity validate --provisioner existing --url …".',
    ),
  );
  return withS3(command);
}

type Options = SoakOptions & WhereOptions & OutputOptions;

const asked = (): Command =>
  new Command('soak')
    .description('Drives one rate for a long time, and says whether memory, latency and tables stay as they are.')
    .requiredOption('--rate <rate>', 'arrival rate, as 10/s')
    .requiredOption('--duration <time>', 'how long, 1m to 72h, as 2h; at least 11m for a verdict on drift');

const ofSoak = (signal: AbortSignal): Command =>
  withOneLoad(asked())
    .option('--slo <objectives>', 'as p95=800ms,errors=1%; latencies are above the service time')
    .option('--warmup <time>', 'discarded part before it (at least an execution and 2 s)', STEP_DEFAULTS.warmup)
    .option('--drain <time>', 'most that executions may take to end after it', STEP_DEFAULTS.drain)
    .option('--timeout <time>', 'after which a request has failed', STEP_DEFAULTS.timeout)
    .option('--port <n>', 'port of the deployment (default: a free one)')
    .option('-o, --output <place>', 'where it is recorded, a folder or in S3 (default: results/<time>)')
    .option('--json', 'print the result as JSON')
    .option('-q, --quiet', 'no progress')
    .addHelpText('after', HELP)
    .action((options: Options) => {
      const where = whereOf(options);
      return runPlan(soakPlan(options), options, signal, where);
    });

const HELP = `
FAIL when the SLO breaks, or memory, heap, latency or n8n's tables grow; INCONCLUSIVE when it was too short to tell. The first
quarter is discarded: heap, compiled code and caches fill in it. Ctrl-C keeps what was recorded until then, and
n8n-capacity report <folder> judges it.

Examples:
  n8n-capacity soak --rate 10/s --duration 2h
  n8n-capacity soak -f queue.yaml --rate 50/s --duration 12h --workload webhook-wait --query seconds=1
  n8n-capacity soak --rate 5/s --duration 30m --mix mix.yaml --slo p95=500ms,errors=0.1% --json
  n8n-capacity soak --rate 5/s --duration 2h --workflow order.json --body order-body.json --provisioner kubernetes

${EXIT_CODES}`;
