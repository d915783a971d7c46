import { exposure } from '../plan/custom-workflow/credentials-file.js';
import type { Plan } from '../model/plan.js';
import type { Progress } from '../core/progress.js';

/** Says what a reader of the result should know of a workflow of the user's own, where the plan has one. */
export function introduceCustom({ loads }: Plan, progress: Progress): void {
  for (const { custom } of loads) {
    if (!custom) continue;
    const warning = custom.credentials !== undefined && exposure(custom.credentials);
    if (warning) progress.line(`  warning: ${warning}`);
    progress.line(
      `  ${custom.name}: ${custom.method} ${custom.path}; an answer counts by its status alone, its executions are counted in n8n`,
    );
  }
}
