import { dryRunUpgrade } from './dry-run.js';
import type { Command } from 'commander';
import { showDryPlan, withDryRun, type DryRunOptions } from '../../commands/options/dry-run.js';
import { withHelpAll } from '../../commands/options/help-all.js';
import { join } from 'node:path';
import { exitCodesHelp } from '../../core/exit-codes.js';
import { terminalProgress } from '../../core/progress.js';
import type { UpgradeConclusion } from './record.js';
import { refuseExisting, choosePlace, type WhereOptions } from '../../provision/choose.js';
import { mirrorOfRecord } from '../../record/s3/place.js';
import { formatUpgrade } from './report/terminal.js';
import { TRIAL_DEFAULTS } from '../trial/plan.js';
import { concludeUpgrade } from './conclude.js';
import { readUpgradeRequest, type UpgradeOptions } from './plan.js';
import { upgrade } from './run.js';
import { withCustomWorkflow } from '../../commands/options/custom-workflow.js';
import { withCluster, withValues } from '../../commands/options/deployment.js';
import { withAround, withOneWorkload } from '../../commands/options/load.js';
import {
  keepRecord,
  chooseOutput,
  printResult,
  withOutput,
  withS3,
  type OutputOptions,
} from '../../commands/options/output.js';

type Options = UpgradeOptions & OutputOptions & DryRunOptions & WhereOptions;

/** `n8n-capacity upgrade`. */
export function defineUpgrade(command: Command, signal: AbortSignal): Command {
  command
    .requiredOption('--from <version>', 'version of n8n that you run, such as 2.34.0, or 2.34.x for its newest')
    .requiredOption('--to <version>', 'version of n8n to upgrade to');
  withOneWorkload(withValues(command))
    .option(
      '--pairs <n>',
      'fresh deployments of each version, for the throughput and again for the latency, at least 3',
      '3',
    )
    .option('--executions <n>', 'executions in the database that is upgraded, at most 10000', '2000')
    .option(
      '--clients <n>',
      'clients that each wait for their answer (default: 20, more for answers that take seconds)',
    )
    .option('--step-duration <time>', 'measured part of a deployment', TRIAL_DEFAULTS.step);
  withAround(command, { warmup: TRIAL_DEFAULTS.warmup });
  withOutput(command, { defaultPlace: 'results/upgrade-<from>-<to>-<workload>; resumed if it holds this run' });
  withCluster(command, 'where to deploy: process (this machine) or kubernetes');
  command.on('option:provisioner', refuseExisting('upgrade needs deployments of its own, several of each version.'));
  withCustomWorkflow(command);
  withS3(withDryRun(command));
  return withHelpAll(command, FIRST)
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, signal));
}

async function run(options: Options, signal: AbortSignal): Promise<void> {
  const { json, quiet } = options;
  const where = choosePlace(options);
  const request = await readUpgradeRequest(options);
  const { from, to, plan } = request;
  const output = chooseOutput(options, join('results', `upgrade-${from}-${to}-${plan.loads[0]!.name}`));
  if (options.dryRun)
    return showDryPlan(options, output.folder, signal, (progress) => dryRunUpgrade(request, where, progress));
  const upgradeAndConclude = async () => {
    const progress = terminalProgress(quiet, signal);
    try {
      await upgrade(request, output.folder, where, progress);
    } catch (error) {
      // Also writes a report after an interruption.
      if (signal.aborted) await concludeUpgrade(output.folder).catch(() => {});
      throw error;
    }
    printUpgradeResult(await concludeUpgrade(output.folder), json);
  };
  await keepRecord(output, signal, upgradeAndConclude, {
    mirrorOf: mirrorOfRecord('upgrade'),
    goOn: `to resume, run the same command; to see what is known: n8n-capacity report ${output.folder}`,
  });
}

const CODES: Record<UpgradeConclusion['outcome'], number> = { better: 0, same: 0, worse: 1, open: 2 };

/** Prints the result of a run of `upgrade` for people or machines; the process will end with its exit code. */
export function printUpgradeResult(conclusion: UpgradeConclusion, json?: boolean): void {
  printResult(conclusion, json, formatUpgrade);
  process.exitCode = CODES[conclusion.outcome];
}

/** The options that `--help` shows. */
const FIRST = ['--from', '--to', '--profile', '--values', '--set', '--workload', '--workflow', '--pairs', '--dry-run'];

const HELP = `
First a deployment of the old version, with executions in its database, is upgraded in place. Then fresh deployments of both
versions are measured by turns: with clients that each wait for their answer, and at one arrival rate that both sustain. A version
that is missing is installed, with its version of Node.

Changes have 95 % intervals. "a tie" means below 4 % for throughput and memory, and below 20 % for latency and start.

Examples:
  # Measure the upgrade with your own workflow and values
  n8n-capacity upgrade --from 2.34.x --to 2.41.1 --workflow order.json -f values.yaml

  # A workload of expressions, five deployments of each version
  n8n-capacity upgrade --from 2.34.x --to 2.41.1 --workload webhook-expression --pairs 5

${exitCodesHelp({ 0: 'more throughput and nothing worse, or a tie', 1: 'something is worse, rows are lost, or the new version failed twice', 2: 'not decided: interrupted, too few deployments, or the old version failed' })}`;
