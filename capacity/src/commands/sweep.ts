import { UsageError } from '../core/errors.js';
import { Command } from 'commander';
import { join } from 'node:path';
import { EXIT, EXIT_CODES } from '../core/exit-codes.js';
import { configurations } from '../plan/configurations.js';
import { DIMENSION_NAMES } from '../plan/dimensions.js';
import { MANY, readSweepPlan } from '../plan/sweep.js';
import { refuseExisting, whereOf, type WhereOptions } from '../provision/choose.js';
import { JUNIT_OPTION, MARKDOWN_OPTION, prepareCiFiles, writeSweepFiles, type CiFiles } from '../report/ci-files.js';
import { terminalProgress } from '../core/progress.js';
import { printSweep } from '../report/terminal/sweep.js';
import { concludeSweep } from '../sweep/conclude.js';
import { sweep } from '../sweep/run.js';
import { mirrorOfSweep } from '../record/s3/place.js';
import { withCluster } from './options/cluster.js';
import { keeping, outputOf, printResult, withS3, type OutputOptions } from './options/output.js';

interface SweepOptions extends CiFiles, OutputOptions, WhereOptions {
  yes?: boolean;
}

/**
 * `n8n-capacity sweep PLAN`. An existing n8n is refused as soon as it is read, before flags that only such a one has, as
 * --url, are found to be unknown.
 */
export const sweepCommand = (signal: AbortSignal): Command =>
  withS3(withCluster(command(signal), 'where to deploy: process (this machine) or kubernetes')).on(
    'option:provisioner',
    refuseExisting(
      'a sweep changes the configuration of n8n, which it can do only where it deploys n8n. Give n8n each configuration ' +
        'yourself, run "n8n-capacity validate --provisioner existing --url …" on it, and compare the runs with "n8n-capacity compare A B".',
    ),
  );

const command = (signal: AbortSignal): Command =>
  new Command('sweep')
    .argument('<plan>', 'plan file: dimensions, workload, objectives')
    .description('Measures a matrix of configurations, and finds the cheapest that meets the target.')
    .option('-o, --output <place>', 'folder or place in S3; a sweep that is there goes on (default: results/<name>)')
    .option('--yes', `more than ${MANY} configurations are meant`)
    .option('--json', 'print the result as JSON')
    .option(...JUNIT_OPTION)
    .option(...MARKDOWN_OPTION)
    .option('-q, --quiet', 'no progress')
    .addHelpText('after', HELP)
    .action((plan: string, options: SweepOptions) => run(plan, options, signal));

async function run(file: string, options: SweepOptions, signal: AbortSignal): Promise<void> {
  const { yes, json, quiet } = options;
  const where = whereOf(options);
  const plan = readSweepPlan(file);
  const count = configurations(plan.dimensions).length;
  if (count > MANY && !yes)
    throw new UsageError(`${file}: ${count} configurations are more than ${MANY}; add --yes when they are meant.`);
  await prepareCiFiles(options);
  const output = outputOf(options, join('results', plan.name));
  const { folder } = output;
  const measured = async () => {
    await sweep(plan, folder, where, terminalProgress(quiet, signal));
    const conclusion = await concludeSweep(folder);
    printResult(conclusion, json, printSweep);
    await writeSweepFiles(options, conclusion);
    process.exitCode = EXIT[conclusion.verdict];
  };
  await keeping(output, signal, measured, { mirrorOf: mirrorOfSweep, goOn: 'the same command goes on from there' });
}

const HELP = `
A plan, with every key that it needs:
  name: right-size
  values: {files: [queue.yaml]}          # paths are relative to the plan
  dimensions:
    workers: [1, 2, 4]
    concurrency: [5, 10, 20]
    worker.resources.limits.cpu: [500m, 1]
  workload: webhook-wait
  target: 20/s                           # or perDay and peak; without: the highest rate of each is sought

Dimensions: ${DIMENSION_NAMES.join(', ')}, and any path into the chart's values.
Also: question, mix, query, headroom, rates, clients, precision, slo, step, prices, explore (front | all), noise.

Without a target it measures first by how much one configuration differs from run to run, which is five deployments and
steps more; noise: {runs: 3} makes them three, noise: 5% takes that for it. Rates within the noise are a tie.

Examples:
  n8n-capacity sweep right-size.yaml          measure; Ctrl-C and the same command go on where it was
  n8n-capacity sweep right-size.yaml --json   the answer for machines
  n8n-capacity sweep right-size.yaml -o s3://measurements/right-size     kept in S3, too; another machine can go on
  n8n-capacity sweep right-size.yaml --provisioner kubernetes --kube-context staging

${EXIT_CODES}`;
