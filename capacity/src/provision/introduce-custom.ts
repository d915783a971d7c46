import { exposure } from '../plan/custom-workflow/credentials-file.js';
import type { Plan } from '../model/plan.js';
import type { Progress } from '../core/progress.js';

/** Says what a reader of the result should know of a workflow of the user's own, where the plan has one. */
export function introduceOwn({ loads }: Plan, progress: Progress): void {
  for (const { own } of loads) {
    if (!own) continue;
    const warning = own.credentials !== undefined && exposure(own.credentials);
    if (warning) progress.line(`  warning: ${warning}`);
    progress.line(
      `  ${own.name}: ${own.method} ${own.path}; an answer counts by its status alone, its executions are counted in n8n`,
    );
  }
}
