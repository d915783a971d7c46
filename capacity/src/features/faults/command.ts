import { dryRunFaults } from './dry-run.js';
import type { Command } from 'commander';
import { showDryPlan, withDryRun, type DryRunOptions } from '../../commands/options/dry-run.js';
import { withHelpAll } from '../../commands/options/help-all.js';
import { join } from 'node:path';
import { EXIT_CODES, exitCodesHelp } from '../../core/exit-codes.js';
import { terminalProgress } from '../../core/progress.js';
import { CATALOGUE } from './catalogue.js';
import { concludeFaults } from './conclude.js';
import { FAULTS_DEFAULTS, faultsRequest, type FaultsOptions } from './plan.js';
import { tryFaults } from './run.js';
import type { FaultsConclusion } from './record.js';
import { mirrorOfRecord } from '../../record/s3/place.js';
import { prepareCiFiles, writeCiFiles, type CiFiles } from '../../report/ci-files.js';
import { faultsAsJunit } from './report/junit.js';
import { faultsAsMarkdown } from './report/markdown.js';
import { formatFaults } from './report/terminal.js';
import { withForeign, withValues } from '../../commands/options/deployment.js';
import {
  collect,
  keepRecord,
  chooseOutput,
  printResult,
  withOutput,
  withS3,
  type OutputOptions,
} from '../../commands/options/output.js';

type Options = FaultsOptions & OutputOptions & DryRunOptions & CiFiles;

/** `n8n-capacity faults`. */
export function defineFaults(command: Command, signal: AbortSignal): Command {
  withForeign(withValues(command))
    .option(
      '--fault <names>',
      'faults to try, separated by commas (default: all that the deployment can have)',
      collect,
    )
    .option(
      '--rate <rate>',
      'capacity of the deployment; 70 % of it are sent (default: slots ÷ --work; without a limit on executions: 4/s)',
    )
    .option('--work <time>', 'work of an execution between its two entries in the ledger', FAULTS_DEFAULTS.work)
    .option('--after <time>', 'load after the fault', FAULTS_DEFAULTS.after)
    .option(
      '--settle <time>',
      'longest wait after the load for executions to end or to be listed',
      FAULTS_DEFAULTS.settle,
    )
    .option('--timeout <time>', 'time after which a request counts as unanswered', FAULTS_DEFAULTS.timeout)
    .option('--seed <n>', 'seed of the random arrivals', FAULTS_DEFAULTS.seed);
  command
    .option('--provisioner <name>', 'where to deploy: process (this machine) or kubernetes', 'process')
    .option('--kube-context <name>', 'kubeconfig context (default: the current context)');
  withOutput(command, { defaultPlace: 'results/faults; resumed if it holds this run', ci: true });
  withS3(withDryRun(command));
  return withHelpAll(command, FIRST)
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, signal));
}

async function run(options: Options, signal: AbortSignal): Promise<void> {
  const { json, quiet } = options;
  const request = faultsRequest(options);
  const output = chooseOutput(options, join('results', 'faults'));
  if (options.dryRun) return showDryPlan(options, output.folder, signal, (progress) => dryRunFaults(request, progress));
  await prepareCiFiles(options);
  const tryAndConclude = async () => {
    await tryFaults(request, output.folder, terminalProgress(quiet, signal));
    const conclusion = await concludeFaults(output.folder);
    await writeCiFiles(options, {
      junit: () => faultsAsJunit(conclusion),
      markdown: () => faultsAsMarkdown(conclusion),
    });
    printFaultsResult(conclusion, json);
  };
  await keepRecord(output, signal, tryAndConclude, {
    mirrorOf: mirrorOfRecord('faults'),
    goOn: `to resume, run the same command; to see what is known: n8n-capacity report ${output.folder}`,
  });
}

/** Prints the result of a run of `faults` for people or machines; the process will end with its exit code. */
export function printFaultsResult(conclusion: FaultsConclusion, json?: boolean): void {
  printResult(conclusion, json, formatFaults);
  process.exitCode = EXIT_CODES[conclusion.verdict];
}

const LIST = Object.entries(CATALOGUE)
  .map(([name, { title }]) => `  ${name.padEnd(21)} ${title}`)
  .join('\n');

/** The options that `--help` shows. */
const FIRST = ['--profile', '--values', '--set', '--fault', '--rate', '--work', '--dry-run'];

const HELP = `
Faults:
${LIST}

Each fault gets a fresh deployment: processes of this machine, or a namespace of a cluster. Every request carries an id. The
workflow answers with the id of its execution, writes the id of the request to a table in PostgreSQL, works, and writes it
again. At the end each accepted request is one of: done, done twice, failed (n8n lists an error), crashed (n8n lists it as crashed),
stuck (n8n still calls it new or running), or vanished. PASS: none is stuck, none vanished, and the deployment works again.
With rescue.enabled in the values, the chart's rescue runs, too, and none may be left crashed.

Requests that were refused (HTTP 503), answered with another error, or not answered are counted separately.

Examples:
  # Check what happens to executions when a worker dies
  n8n-capacity faults --profile queue --fault worker-kill

  # Everything, at 70 % of a measured capacity, for CI
  n8n-capacity faults -f queue.yaml --rate 20/s --work 2s --junit faults.xml --markdown faults.md

  # Kill and remove pods in a cluster
  n8n-capacity faults --profile queue --fault worker-kill,scale-in --provisioner kubernetes

  # Check the deployment of another chart
  n8n-capacity faults --manifests n8n.yaml --fault workers-kill

  # Check that the rescue restarts the executions of a dead worker
  n8n-capacity faults --profile queue --fault worker-kill --settle 15m \\
    --set rescue.enabled=true --set rescue.apiKey.existingSecret=n8n-api-key

  # Check that executions waiting in Redis are found after Redis loses its data
  n8n-capacity faults --profile queue --fault redis-data-loss

${exitCodesHelp({ 0: 'PASS', 1: 'FAIL: an accepted request is stuck, vanished or not rescued, or the deployment did not recover', 2: 'INCONCLUSIVE: a fault did not happen, or the test was disturbed' })}`;
