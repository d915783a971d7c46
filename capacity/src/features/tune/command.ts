import { dryRunTune } from './dry-run.js';
import type { Command } from 'commander';
import { showDryPlan, withDryRun, type DryRunOptions } from '../../commands/options/dry-run.js';
import { withHelpAll } from '../../commands/options/help-all.js';
import { join } from 'node:path';
import { runAllChecks } from '../../core/all-of.js';
import { exitCodesHelp } from '../../core/exit-codes.js';
import { terminalProgress } from '../../core/progress.js';
import type { TuneConclusion } from './record.js';
import { refuseExisting, refuseForeign, choosePlace, type WhereOptions } from '../../provision/choose.js';
import { mirrorOfRecord } from '../../record/s3/place.js';
import { formatSettings, formatTune } from './report/terminal.js';
import { readSettings } from './catalogue.js';
import { concludeTune } from './conclude.js';
import { DEFAULT_WORKLOAD, TRIAL_DEFAULTS, trialPlan } from '../trial/plan.js';
import { acceptedTrades, readBudget, DEFAULT_BUDGET, requestedSettings, type TuneOptions } from './plan.js';
import { tune } from './run.js';
import { withCustomWorkflow } from '../../commands/options/custom-workflow.js';
import { withCluster, withForeign, withValues } from '../../commands/options/deployment.js';
import { withAround, withWorkloads } from '../../commands/options/load.js';
import {
  collect,
  keepRecord,
  chooseOutput,
  printResult,
  withOutput,
  withS3,
  type OutputOptions,
} from '../../commands/options/output.js';

type Options = TuneOptions & OutputOptions & DryRunOptions & WhereOptions & { list?: boolean };

/** `n8n-capacity tune`. */
export function defineTune(command: Command, signal: AbortSignal): Command {
  withWorkloads(withForeign(withValues(command)), DEFAULT_WORKLOAD)
    .option(
      '--budget <time>',
      'about how long it may take; more time tries more settings, and shows smaller effects',
      DEFAULT_BUDGET,
    )
    .option(
      '--accept <list>',
      'also try settings that cost features, observability, durability or safety, such as durability,safety (default: none)',
    )
    .option('--setting <id>', 'try only this setting; may be repeated (default: all that fit)', collect)
    .option(
      '--clients <n>',
      'clients that each wait for their answer (default: 20, more for answers that take seconds)',
    )
    .option('--step-duration <time>', 'measured part of a trial', TRIAL_DEFAULTS.step)
    .option('--list', 'print the settings and end');
  withAround(command, { warmup: TRIAL_DEFAULTS.warmup });
  withOutput(command, { defaultPlace: 'results/tune-<workloads>; resumed if it holds this run' });
  withCluster(command, 'where to deploy: process (this machine) or kubernetes');
  command.on('option:provisioner', refuseExisting('tune needs deployments of its own, one for each trial.'));
  withCustomWorkflow(command);
  withS3(withDryRun(command));
  return withHelpAll(command, FIRST)
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, signal));
}

async function run(options: Options, signal: AbortSignal): Promise<void> {
  const { json, quiet, list } = options;
  if (list) return printResult(readSettings(), json, formatSettings);
  const { where, plan, accept, settings } = runAllChecks({
    where: () => choosePlace(options),
    plan: () => trialPlan(options),
    accept: () => acceptedTrades(options),
    settings: () => requestedSettings(options),
  });
  refuseForeign(plan, where);
  const budgetSeconds = readBudget(options, plan);
  const named = options.setting !== undefined;
  const request = { tool: 'n8n-capacity tune', plan, budgetSeconds, accept, settings, named };
  const output = chooseOutput(options, join('results', `tune-${plan.loads.map(({ name }) => name).join('-')}`));
  if (options.dryRun)
    return showDryPlan(options, output.folder, signal, (progress) => dryRunTune(request, where, progress));
  const tuneAndConclude = async () => {
    const progress = terminalProgress(quiet, signal);
    try {
      await tune(request, output.folder, where, progress);
    } catch (error) {
      // Also writes a report after an interruption.
      if (signal.aborted) await concludeTune(output.folder).catch(() => {});
      throw error;
    }
    printTuneResult(await concludeTune(output.folder), json);
  };
  await keepRecord(output, signal, tuneAndConclude, {
    mirrorOf: mirrorOfRecord('tune'),
    goOn: `to resume, run the same command; to see what is known: n8n-capacity report ${output.folder}`,
  });
}

/** Prints the result of a run of `tune` for people or machines; the process will end with its exit code. */
export function printTuneResult(conclusion: TuneConclusion, json?: boolean): void {
  printResult(conclusion, json, formatTune);
  process.exitCode = conclusion.outcome === 'open' ? 2 : 0;
}

/** The options that `--help` shows. */
const FIRST = [
  '--profile',
  '--values',
  '--set',
  '--workload',
  '--workflow',
  '--budget',
  '--accept',
  '--setting',
  '--list',
  '--dry-run',
];

const HELP = `
Each trial is a fresh deployment with about half of the changes, so that all trials count for every change (a folded two-level
design). The changes that give more throughput are then deployed together, in turn with your values, for the rest of the time.
values.tuned.yaml holds only changes that are confirmed, all together. If there is time left, the p95 of both is compared at the same arrival rate.

Several workloads are driven one after the other in each deployment. The values are then those that are best for the geometric
mean of their throughputs, and certainly worse for none; their p95 at the same arrival rate is not compared.

Effects have 95 % intervals. "no effect": the whole interval is within 4 %. "no gain": it gives less than 4 %, and may cost
something. "not decided": too few trials; try the setting alone with --setting, or use a longer --budget.

Examples:
  # Find the settings that matter for a workload of expressions
  n8n-capacity tune --workload webhook-expression

  # The same for your workflow and your values, in an hour
  n8n-capacity tune --workflow order.json -f values.yaml --budget 1h

  # One set of values for three kinds of work
  n8n-capacity tune --workload webhook-ack --workload webhook-expression --workload code --budget 90m

  # Try the defaults of n8n-tuned on the deployment of another chart
  n8n-capacity tune --manifests n8n.yaml --workload webhook-expression

  # Also try settings that cost durability or safety
  n8n-capacity tune --accept durability,safety

  # List the settings
  n8n-capacity tune --list

${exitCodesHelp({ 0: 'better values are confirmed, or no change is better', 2: 'not decided: interrupted, or too few trials' })}`;
