import type { Command } from 'commander';
import { runAllChecks } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import { exitCodesHelp, VERDICT_EXIT_CODES } from '../core/exit-codes.js';
import type { ValidateOptions } from '../plan/options.js';
import { planFromOptions } from '../plan/validate.js';
import { refuseForeign, choosePlace, type WhereOptions } from '../provision/choose.js';
import { withCustomWorkflow } from './options/custom-workflow.js';
import { withCluster, withForeign, withValues } from './options/deployment.js';
import { withExisting } from './options/existing.js';
import { withTarget } from './options/target.js';
import { withStepTimes, withWorkloads } from './options/load.js';
import { withHelpAll } from './options/help-all.js';
import { withDryRun } from './options/dry-run.js';
import { withOutput, withS3 } from './options/output.js';
import { withWatch } from './options/watch.js';
import { runPlan, type RunOptions } from './run-plan.js';

/** `n8n-capacity validate`. */
export function defineValidate(command: Command, signal: AbortSignal): Command {
  withWorkloads(withForeign(withValues(command)));
  withProfile(withStepTimes(withRates(command)));
  withWatch(withOutput(command, { ci: true }));
  withDryRun(command);
  withCluster(command, 'where to deploy: process (this machine) or kubernetes; existing loads the n8n at --url');
  withCustomWorkflow(command, { served: true });
  withExisting(command);
  withS3(command);
  return withHelpAll(command, FIRST)
    .addHelpText('after', HELP)
    .action((options: ValidateOptions & RunOptions & WhereOptions) => {
      const { where, plan } = runAllChecks({ where: () => choosePlace(options), plan: () => planFromOptions(options) });
      refuseForeign(plan, where);
      if (plan.arrivals.kind === 'recorded' && !where.k6Here)
        throw new UsageError(
          '--arrivals: a file is replayed by k6 on this machine, not on Kubernetes; use --provisioner existing with --url.',
        );
      return runPlan(plan, options, signal, where);
    });
}

/** What a first hour with the tool needs. */
const FIRST = [
  ...['--profile', '--values', '--set', '--workload', '--workflow'],
  ...['--target', '--per-day', '--peak', '--slo'],
  '--dry-run',
];

const withProfile = (command: Command): Command =>
  command.option(
    '--cpu-profile',
    'after the last step, profile the CPU of n8n at the lowest rate that it did not sustain, and show it as a flame graph in the report; the step counts towards nothing',
  );

const withRates = (command: Command): Command =>
  withTarget(command, 'arrival rate that must be sustained, such as 20/s or 300/m; per second without a unit')
    .option('--headroom <factor>', 'multiple of the target that must be sustained (default: 1.3)')
    .option(
      '--rates <list>',
      'arrival rates to try in this order, such as 5/s,10/s,20/s; per second without a unit (default: search for the highest sustained rate)',
    )
    .option(
      '--times <factor>',
      'with --arrivals <file>: factor for the number of recorded arrivals, within the same time, such as 1.5 (default: 1)',
    )
    .option('--clients <n>', 'closed model: number of clients that each wait for their answer')
    .option(
      '--slo <objectives>',
      'objectives, such as p95=800ms,errors=1%; latency objectives apply above the service time, and any percentile replaces the default ones (default: p95=800ms,p99=2s,errors=1%)',
    )
    .option(
      '--precision <share>',
      'precision of the search, 1% to 50%; a finer one takes longer (default: 10%, about 5 minutes for a workload; from 40% on a quick search, about 3, whose figure is rather low)',
    )
    .option('--seed-executions <n>', 'finished executions to put into the database before the load (default: 0)')
    .option(
      '--no-overload',
      'do not overload the deployment at the end: 30 s at twice its capacity, or three times the target',
    )
    .option(
      '--step-duration <time>',
      'measured part of a step (default: as long as a proof takes: 2m or more at a target, 1m or more at --rates, 1m with --clients; in a search 10s to 60s, then 1m or more at the highest rate that holds)',
    );

const HELP = `
Without --target, --per-day, --rates or --clients, the command searches for the highest rate that the deployment sustains.

Examples:
  # Find the capacity of the chart's defaults
  n8n-capacity validate

  # Check that they sustain 20/s with 30 % headroom
  n8n-capacity validate --target 20/s

  # See what would be deployed, and how long it takes
  n8n-capacity validate -f queue.yaml --target 20/s --dry-run

  # Check a values file against a daily load and a stricter SLO
  n8n-capacity validate -f queue.yaml --per-day 200k --peak 4x --slo p95=500ms,errors=0.1%

  # Queue mode, as the chart's profile has it, with more workers
  n8n-capacity validate --profile queue --set worker.replicas=4

  # Check a memory limit with a workload that needs memory
  n8n-capacity validate --set main.resources.limits.memory=4Gi --workload memory-hog --query mb=128

  # Replay the busiest hour of an n8n, with half as many executions again
  n8n-capacity validate --arrivals arrivals.json --times 1.5 --workload webhook-ack

  # Test a custom workflow
  n8n-capacity validate --workflow order.json --body order-body.json --target 5/s

  # Test n8n as another chart deploys it
  helm template n8n some/chart -f values.yaml > n8n.yaml
  n8n-capacity validate --manifests n8n.yaml

  # Test an n8n that is already running
  N8N_API_KEY=… n8n-capacity validate --provisioner existing --url https://n8n.example.org --max-rate 10/s

${exitCodesHelp(VERDICT_EXIT_CODES)}`;
