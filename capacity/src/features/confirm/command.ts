import { dryRunConfirm } from './dry-run.js';
import type { Command } from 'commander';
import { showDryPlan, withDryRun, type DryRunOptions } from '../../commands/options/dry-run.js';
import { withHelpAll } from '../../commands/options/help-all.js';
import { EXIT_CODES, exitCodesHelp } from '../../core/exit-codes.js';
import { terminalProgress } from '../../core/progress.js';
import { planConfirmation, type ConfirmOptions } from './plan.js';
import { confirm } from './run.js';
import { concludeConfirm } from './write.js';
import type { ConfirmConclusion } from './record.js';
import { choosePlace, type WhereOptions } from '../../provision/choose.js';
import { readRun } from '../../record/recorder.js';
import { localCopy, mirrorOfRecord } from '../../record/s3/place.js';
import { formatConfirmation } from './report/terminal.js';
import { withTarget } from '../../commands/options/target.js';
import {
  keepRecord,
  chooseOutput,
  printResult,
  withOutput,
  withS3,
  type OutputOptions,
} from '../../commands/options/output.js';

type Options = ConfirmOptions & OutputOptions & DryRunOptions & Pick<WhereOptions, 'kubeContext' | 'generators'>;

/** `n8n-capacity confirm PLACE`. */
export function defineConfirm(command: Command, signal: AbortSignal): Command {
  command.argument('<place>', 'record of validate or soak, or a run of a sweep: results/<time> or s3://bucket/prefix');
  withTarget(command, 'arrival rate to confirm (default: the target of the record, else its capacity ÷ headroom)')
    .option('--headroom <factor>', 'multiple of the target that must hold (default: that of the record, else 1.3)')
    .option('--deployments <n>', 'fresh deployments for each load, at least 3', '3')
    .option('--soak <time>', 'length of the soak, 10s to 72h; a PASS needs 11m or more', '15m')
    .option(
      '--step-duration <time>',
      'shortest step at a rate; a rate is tried until its steps decide (default: as long as a proof takes, 2m or more)',
    )
    .option(
      '--seed-executions <n>',
      'finished executions to put into the database before the load (default: as many as n8n keeps, at most 50000)',
    )
    .option('--kube-context <name>', 'kubeconfig context, for a record of Kubernetes (default: the current context)')
    .option('--generators <n>', 'k6 pods that share the load, for a record of Kubernetes (default: 1)');
  withOutput(command, { defaultPlace: 'results/<time>; resumed if it holds this confirmation' });
  withS3(withDryRun(command));
  return withHelpAll(command, FIRST)
    .addHelpText('after', HELP)
    .action((place: string, options: Options) => run(place, options, signal));
}

async function run(place: string, options: Options, signal: AbortSignal): Promise<void> {
  const { json, quiet, kubeContext, generators } = options;
  const recorded = await readRun(await localCopy(place, options));
  const record = { ...planConfirmation(recorded, options), of: place };
  const where = choosePlace({
    provisioner: record.provisioner,
    ...(kubeContext !== undefined && { kubeContext }),
    ...(generators !== undefined && { generators }),
  });
  const output = chooseOutput(options);
  if (options.dryRun)
    return showDryPlan(options, output.folder, signal, (progress) => dryRunConfirm(recorded, record, where, progress));
  const confirmAndConclude = async () => {
    await confirm(recorded, record, output.folder, where, terminalProgress(quiet, signal));
    printConfirm(await concludeConfirm(output.folder), json);
  };
  await keepRecord(output, signal, confirmAndConclude, {
    mirrorOf: mirrorOfRecord('confirm'),
    goOn: `to resume, run the same command with -o ${output.folder}`,
  });
}

/** Prints the result of a confirmation for people or machines; the process will end with the exit code of its verdict. */
export function printConfirm(conclusion: ConfirmConclusion, json?: boolean): void {
  printResult(conclusion, json, formatConfirmation);
  process.exitCode = EXIT_CODES[conclusion.verdict];
}

/** The options that `--help` shows. */
const FIRST = ['--target', '--per-day', '--peak', '--headroom', '--deployments', '--soak', '--dry-run'];

const HELP = `
Each of the fresh deployments is driven at the target and at the target × headroom, in alternating order, then one more for
the length of the soak at the target × headroom. The values are recommended if every deployment held both rates and the soak
passed. The capacity is given as a 90 % interval, from all tries at rates that held and that did not.

Examples:
  n8n-capacity confirm results/2026-11-20T10-15-00
  n8n-capacity confirm results/2026-11-20T10-15-00 --target 20/s --deployments 5 --soak 2h -o results/friday
  n8n-capacity confirm results/2026-11-20T10-15-00 --per-day 200k --peak 4x
  n8n-capacity confirm results/right-size/holds/2-workers --json

${exitCodesHelp({ 0: 'PASS: the values are recommended', 1: 'FAIL: a rate or the soak did not hold', 2: 'INCONCLUSIVE: a rate or the soak could not be judged' })}`;
