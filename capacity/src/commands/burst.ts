import type { Command } from 'commander';
import { runAllChecks } from '../core/all-of.js';
import { exitCodesHelp, VERDICT_EXIT_CODES } from '../core/exit-codes.js';
import { burstPlan, type BurstOptions } from '../plan/burst.js';
import { choosePlace, type WhereOptions } from '../provision/choose.js';
import { withCustomWorkflow } from './options/custom-workflow.js';
import { withCluster, withValues } from './options/deployment.js';
import { withExisting } from './options/existing.js';
import { withDryRun } from './options/dry-run.js';
import { withHelpAll } from './options/help-all.js';
import { withOneWorkload, withStepTimes } from './options/load.js';
import { withOutput, withS3 } from './options/output.js';
import { withWatch } from './options/watch.js';
import { runPlan, type RunOptions } from './run-plan.js';

/** `n8n-capacity burst`. */
export function defineBurst(command: Command, signal: AbortSignal): Command {
  command
    .requiredOption('--base <rate>', 'arrival rate before and after the spike, such as 1/s; per second without a unit')
    .option('--spike <rate>', 'arrival rate of the spike, such as 20/s; per second without a unit')
    .option('--for <time>', 'length of the spike, 1s to 1h, such as 30s')
    .option('--cron <n>', 'instead of --spike and --for: n requests within one second, as from n schedules at :00')
    .option(
      '--drain-within <time>',
      'time after the spike within which the backlog must be back at its base level',
      '1m',
    );
  withOneWorkload(withValues(command)).option(
    '--slo <objectives>',
    'objectives for each phase, such as p95=2s,errors=1%; latency objectives apply above the service time (default: errors=1%)',
  );
  withStepTimes(command, '2m');
  withWatch(withOutput(command, { ci: true }));
  withCluster(command, 'where to deploy: process (fixed scale) or kubernetes; existing loads the n8n at --url');
  withCustomWorkflow(command, { served: true });
  withExisting(command);
  withS3(withDryRun(command));
  return withHelpAll(command, FIRST)
    .addHelpText('after', HELP)
    .action((options: BurstOptions & WhereOptions & RunOptions) => {
      const { where, plan } = runAllChecks({
        where: () => choosePlace(options),
        plan: () => burstPlan(options, options.provisioner !== 'existing'),
      });
      return runPlan(plan, options, signal, where);
    });
}

/** The options that `--help` shows. */
const FIRST = [
  '--base',
  '--spike',
  '--for',
  '--drain-within',
  '--profile',
  '--values',
  '--set',
  '--workload',
  '--workflow',
  '--dry-run',
];

const HELP = `
There are three phases without a pause: the base load for at least 20 s, the spike, and the base load again until 10 s after
--drain-within. The verdict is FAIL if an accepted execution is lost, the backlog does not drain in time, a process dies, or
the SLO is broken.

Autoscaling works as the chart's values configure it. A HorizontalPodAutoscaler has no metrics of new pods at first: use a
--warmup of at least 1m. Each request opens a new connection, so that new pods receive their share.

Examples:
  # 20/s for 30 s on top of 1/s
  n8n-capacity burst --base 1/s --spike 20/s --for 30s --profile queue

  # 500 workflows that are scheduled for the same second
  n8n-capacity burst --base 1/s --cron 500 --workload webhook-ack-wait --query seconds=2 --drain-within 3m

  # Autoscaling workers on Kubernetes
  n8n-capacity burst --base 2/s --spike 20/s --for 2m --drain-within 3m --warmup 1m --provisioner kubernetes \\
    -f queue.yaml --set worker.autoscaling.type=hpa --set worker.autoscaling.maxReplicas=4

${exitCodesHelp({ ...VERDICT_EXIT_CODES, 0: 'PASS' })}`;
