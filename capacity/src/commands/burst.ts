import { Command } from 'commander';
import { EXIT_CODES } from '../core/exit-codes.js';
import { burstPlan, type BurstOptions } from '../plan/burst.js';
import { STEP_DEFAULTS } from '../plan/times.js';
import { whereOf, type WhereOptions } from '../provision/choose.js';
import { JUNIT_OPTION, MARKDOWN_OPTION } from '../report/ci-files.js';
import { withCluster } from './options/cluster.js';
import { withOneLoad } from './options/one-load.js';
import { withExisting } from './options/existing.js';
import { withS3 } from './options/output.js';
import { withCustomWorkflow } from './options/custom-workflow.js';
import { runPlan, type RunOptions } from './run-plan.js';

/** `n8n-capacity burst`. */
export function burstCommand(signal: AbortSignal): Command {
  const asked = new Command('burst')
    .description(
      'Drives a spike above a steady load, and says how long its backlog lasts and whether anything is lost.',
    )
    .requiredOption('--base <rate>', 'arrival rate before and after the spike, as 1/s')
    .option('--spike <rate>', 'arrival rate of the spike, as 20/s')
    .option('--for <time>', 'how long the spike lasts, 1s to 1h, as 30s')
    .option('--cron <n>', 'instead: so many requests within a second, as n workflows do that are scheduled at :00')
    .option('--drain-within <time>', 'after the spike the backlog must be back at its base level within this', '1m');
  const command = withOneLoad(asked)
    .option(
      '--slo <objectives>',
      'as p95=2s,errors=1%, for each phase; latencies are above the service time (default: errors=1%)',
    )
    .option('--warmup <time>', 'base load before it that is discarded', STEP_DEFAULTS.warmup)
    .option('--drain <time>', 'most that executions may take to end when the load has ended', '2m')
    .option('--timeout <time>', 'after which a request has failed', STEP_DEFAULTS.timeout)
    .option('--port <n>', 'port of the deployment (default: a free one)')
    .option('-o, --output <place>', 'where it is recorded, a folder or in S3 (default: results/<time>)')
    .option('--json', 'print the result as JSON')
    .option(...JUNIT_OPTION)
    .option(...MARKDOWN_OPTION)
    .option('-q, --quiet', 'no progress')
    .addHelpText('after', HELP)
    .action((options: BurstOptions & WhereOptions & RunOptions) => {
      const where = whereOf(options);
      return runPlan(burstPlan(options), options, signal, where);
    });
  withCluster(command, 'where to deploy: process (a fixed scale) or kubernetes; existing: what is at --url');
  withCustomWorkflow(command);
  withExisting(command);
  return withS3(command);
}

const HELP = `
Three phases without a pause: the base load for 20 s or more, the spike, the base load again for as long as the backlog may
take to drain and 10 s more. FAIL when an accepted execution is lost, the backlog is not back at its base level in time,
something dies, or the SLO breaks. Autoscaling is that of the chart's values; a HorizontalPodAutoscaler has no figures of new
pods yet: give it a --warmup of 1m or more. Each request has a connection of its own, so that new pods get their share.

Examples:
  n8n-capacity burst --base 1/s --spike 20/s --for 30s -f queue.yaml
  n8n-capacity burst --base 1/s --cron 500 --workload webhook-ack-wait --query seconds=2 --drain-within 3m
  n8n-capacity burst --base 2/s --spike 20/s --for 2m --drain-within 3m --warmup 1m --provisioner kubernetes \\
    -f queue.yaml --set worker.autoscaling.type=hpa --set worker.autoscaling.maxReplicas=4

${EXIT_CODES}`;
