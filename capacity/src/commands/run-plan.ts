import type { RunConclusion } from '../model/verdict.js';
import { EXIT } from '../core/exit-codes.js';
import type { Plan } from '../model/plan.js';
import type { Where } from '../provision/choose.js';
import { prepareCiFiles, writeRunFiles, type CiFiles } from '../report/ci-files.js';
import { refuseUsed } from '../record/recorder.js';
import { terminalProgress } from '../core/progress.js';
import { printConclusion } from '../report/terminal/run.js';
import { run } from '../run/run.js';
import { keeping, outputOf, printResult, type OutputOptions } from './options/output.js';

/** Flags of every command that carries out one plan. */
export type RunOptions = OutputOptions & CiFiles;

/**
 * Carries out a plan as the flags ask: records it where they say, prints what it says, and writes the files for CI.
 * The process will end with the exit code of the verdict.
 * @param where absent: local processes
 * @throws UsageError when the plan cannot be carried out, or something cannot be written; Interrupted when the user ended it
 */
export async function runPlan(plan: Plan, options: RunOptions, signal: AbortSignal, where?: Where): Promise<void> {
  await prepareCiFiles(options);
  const output = outputOf(options);
  // What is found now has not cost an install or a measurement of k6 yet.
  refuseUsed(output.folder);
  await keeping(output, signal, async () => {
    const conclusion = await run(plan, output.folder, terminalProgress(options.quiet, signal), where);
    printRun(conclusion, options.json);
    await writeRunFiles(options, conclusion, plan.slo);
  });
}

/** Prints what a run says, for people or machines; the process will end with the exit code of its verdict. */
export function printRun(conclusion: RunConclusion, json?: boolean): void {
  printResult(conclusion, json, printConclusion);
  process.exitCode = EXIT[conclusion.verdict.verdict];
}
