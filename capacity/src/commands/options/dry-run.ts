import type { Command } from 'commander';
import { terminalProgress } from '../../core/progress.js';
import type { Progress } from '../../core/progress.js';
import { formatDryPlan } from '../../report/terminal/dry-plan.js';
import type { DryPlan } from '../../run/dry-run.js';
import { printResult } from './output.js';

/** Whether only the plan is shown. */
export interface DryRunOptions {
  dryRun?: boolean;
}

/** Adds the option that shows what a command would do. */
export const withDryRun = (command: Command): Command =>
  command.option('--dry-run', 'check the plan, print what would be deployed and how long it takes, and end');

/** Prints what a command of several deployments would do. */
export async function showDryPlan(
  { json, quiet }: { json?: boolean; quiet?: boolean },
  folder: string,
  signal: AbortSignal,
  plan: (progress: Progress) => Promise<DryPlan>,
): Promise<void> {
  printResult(await plan(terminalProgress(quiet, signal)), json, (dry) => formatDryPlan(dry, folder));
}
