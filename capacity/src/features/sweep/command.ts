import { dryRunSweep } from './dry-run.js';
import type { Command } from 'commander';
import { showDryPlan, withDryRun, type DryRunOptions } from '../../commands/options/dry-run.js';
import { withHelpAll } from '../../commands/options/help-all.js';
import { join } from 'node:path';
import { runAllChecks } from '../../core/all-of.js';
import { UsageError } from '../../core/errors.js';
import type { SweepConclusion } from './record.js';
import { EXIT_CODES, exitCodesHelp, VERDICT_EXIT_CODES } from '../../core/exit-codes.js';
import { terminalProgress } from '../../core/progress.js';
import { listConfigurations } from './plan/configurations.js';
import { DIMENSION_NAMES } from '../../plan/dimensions.js';
import type { ConfiguredOptions } from '../../plan/options.js';
import { FOREIGN_DIMENSIONS } from '../../plan/overrides.js';
import { MAX_WITHOUT_CONSENT, readSweepPlan } from './plan/sweep.js';
import { refuseExisting, refuseForeign, choosePlace, type WhereOptions } from '../../provision/choose.js';
import { mirrorOfRecord } from '../../record/s3/place.js';
import { sweepAsJunit } from './report/junit.js';
import { sweepAsMarkdown } from './report/markdown.js';
import { prepareCiFiles, writeCiFiles, type CiFiles } from '../../report/ci-files.js';
import { formatSweep } from './report/terminal.js';
import { concludeSweep } from './conclude.js';
import { sweep } from './run.js';
import { withCluster } from '../../commands/options/deployment.js';
import {
  keepRecord,
  chooseOutput,
  printResult,
  withOutput,
  withS3,
  type OutputOptions,
} from '../../commands/options/output.js';

interface SweepOptions extends DryRunOptions, CiFiles, OutputOptions, WhereOptions, ConfiguredOptions {
  yes?: boolean;
}

/** `n8n-capacity sweep PLAN`. */
export function defineSweep(command: Command, signal: AbortSignal): Command {
  command
    .argument('<plan>', 'plan file: dimensions, workload and objectives')
    .option('--yes', `allow more than ${MAX_WITHOUT_CONSENT} configurations`);
  withOutput(command, { defaultPlace: 'results/<name>; resumed if it holds this sweep', ci: true });
  withCluster(command, 'where to deploy: process (this machine) or kubernetes');
  // Refused while parsing: otherwise --url would be reported first, as an unknown option.
  command.on(
    'option:provisioner',
    refuseExisting(
      'a sweep needs deployments of its own; to compare configurations of a running n8n, run "n8n-capacity validate ' +
        '--provisioner existing --url …" with each, then "n8n-capacity compare A B".',
    ),
  );
  withS3(withDryRun(command));
  return withHelpAll(command, FIRST)
    .addHelpText('after', HELP)
    .action((plan: string, options: SweepOptions) => run(plan, options, signal));
}

async function run(file: string, options: SweepOptions, signal: AbortSignal): Promise<void> {
  const { yes, json, quiet, configOrigin } = options;
  const { where, plan: read } = runAllChecks({ where: () => choosePlace(options), plan: () => readSweepPlan(file) });
  const plan = configOrigin ? { ...read, measure: { ...read.measure, configOrigin } } : read;
  refuseForeign(plan.measure, where);
  const count = listConfigurations(plan.dimensions).length;
  if (count > MAX_WITHOUT_CONSENT && !yes)
    throw new UsageError(
      `${file}: ${count} configurations exceed the limit of ${MAX_WITHOUT_CONSENT}; remove some, or add --yes.`,
    );
  if (options.dryRun)
    return showDryPlan(options, chooseOutput(options, join('results', plan.name)).folder, signal, (progress) =>
      dryRunSweep(plan, where, progress),
    );
  await prepareCiFiles(options);
  const output = chooseOutput(options, join('results', plan.name));
  const { folder } = output;
  const sweepAndConclude = async () => {
    await sweep(plan, folder, where, terminalProgress(quiet, signal));
    const conclusion = await concludeSweep(folder);
    printSweepResult(conclusion, json);
    await writeCiFiles(options, {
      junit: () => sweepAsJunit(conclusion),
      markdown: () => sweepAsMarkdown(conclusion),
    });
  };
  await keepRecord(output, signal, sweepAndConclude, {
    mirrorOf: mirrorOfRecord('sweep'),
    goOn: 'to resume, run the same command',
  });
}

/** Prints the result of a sweep for people or machines; the process will end with the exit code of its verdict. */
export function printSweepResult(conclusion: SweepConclusion, json?: boolean): void {
  printResult(conclusion, json, formatSweep);
  process.exitCode = EXIT_CODES[conclusion.verdict];
}

/** The options that `--help` shows. */
const FIRST = ['--yes', '--output', '--json', '--dry-run'];

const HELP = `
A plan with the keys that most sweeps need:
  name: right-size
  values: {profile: queue}               # your own: files: [my-values.yaml], relative to the plan
  dimensions:
    workers: [1, 2, 4]
    concurrency: [5, 10, 20]
    worker.resources.limits.cpu: [500m, 1]
  workload: webhook-wait
  query: {seconds: 1}
  target: 20/s                           # or perDay and peak; without: find the highest rate of each

Dimensions:
  ${DIMENSION_NAMES.join(', ')},
  and any path in the chart's values
Another chart: with "manifests: n8n.yaml", or "chart: their/n8n" and values, the dimensions are
  ${FOREIGN_DIMENSIONS},
  variables of n8n such as N8N_LOG_LEVEL, and with a chart its values
Other keys:
  question, mix, query, headroom, rates, clients, precision, slo, step, prices, explore (front | all), noise

Without a target, the sweep first measures the noise: how much one configuration differs from run to run. This takes five
more deployments and steps. "noise: {runs: 3}" makes them three, "noise: 5%" assumes a value instead. Rates that differ by
less than the noise are a tie.

Examples:
  # Measure; after Ctrl-C, the same command resumes
  n8n-capacity sweep right-size.yaml

  # Print the result as JSON
  n8n-capacity sweep right-size.yaml --json

  # Record in S3 too, so that another machine can resume
  n8n-capacity sweep right-size.yaml -o s3://measurements/right-size

  n8n-capacity sweep right-size.yaml --provisioner kubernetes --kube-context staging

${exitCodesHelp({ ...VERDICT_EXIT_CODES, 0: 'PASS: a configuration meets the target, or the capacities were measured' })}`;
