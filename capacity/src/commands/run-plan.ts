import type { RunConclusion } from '../model/verdict.js';
import { EXIT_CODES } from '../core/exit-codes.js';
import type { Plan } from '../model/plan.js';
import { choosePlace, type Where } from '../provision/choose.js';
import { prepareCiFiles, writeCiFiles, type CiFiles } from '../report/ci-files.js';
import { runAsJunit } from '../report/junit.js';
import { runAsMarkdown } from '../report/markdown.js';
import { refuseUsed } from '../record/recorder.js';
import { terminalProgress } from '../core/progress.js';
import { formatDryRun } from '../report/terminal/dry-run.js';
import { formatConclusion } from '../report/terminal/run.js';
import { dryRun } from '../run/dry-run.js';
import { run } from '../run/run.js';
import { keepRecord, chooseOutput, printResult, type OutputOptions } from './options/output.js';
import type { DryRunOptions } from './options/dry-run.js';
import { readWatchPort, serveWhile, type WatchOptions } from './options/watch.js';

/** Options of every command that runs one plan. */
export type RunOptions = OutputOptions & CiFiles & WatchOptions & DryRunOptions;

/**
 * Runs a plan, records it, prints the result, and writes the files for CI. The process will end with the exit code of the
 * verdict.
 * @param where undefined: local processes
 * @throws UsageError when the plan cannot run or a file cannot be written; Interrupted after Ctrl-C
 */
export async function runPlan(plan: Plan, options: RunOptions, signal: AbortSignal, where?: Where): Promise<void> {
  if (options.dryRun) return showPlan(plan, options, signal, where);
  const port = readWatchPort(options);
  await prepareCiFiles(options);
  const output = chooseOutput(options);
  // Before anything is installed or measured.
  refuseUsed(output.folder);
  await keepRecord(output, signal, async () => {
    const progress = terminalProgress(options.quiet, signal);
    const conclusion = await serveWhile(port, output.folder, progress, (shown) =>
      run(plan, output.folder, shown, where),
    );
    printRun(conclusion, options.json);
    await writeCiFiles(options, {
      junit: () => runAsJunit(conclusion.verdict, plan.slo),
      markdown: () => runAsMarkdown(conclusion),
    });
  });
}

/** Checks a plan and prints what would be deployed and driven. */
async function showPlan(
  plan: Plan,
  options: RunOptions,
  signal: AbortSignal,
  where: Where = choosePlace({}),
): Promise<void> {
  const { folder } = chooseOutput(options);
  refuseUsed(folder);
  const dry = await dryRun(plan, where, terminalProgress(options.quiet, signal));
  printResult(dry, options.json, (result) => formatDryRun(result, folder));
}

/** Prints the result of a run for people or machines; the process will end with the exit code of its verdict. */
export function printRun(conclusion: RunConclusion, json?: boolean): void {
  printResult(conclusion, json, formatConclusion);
  process.exitCode = EXIT_CODES[conclusion.verdict.verdict];
}
