import { withoutSecrets } from '../plan/redact.js';
import { exposure } from '../plan/custom-workflow/credentials-file.js';
import type { Plan } from '../model/plan.js';
import { escapeControls } from '../core/printable.js';
import type { Progress } from '../core/progress.js';

/** Prints how the plan's custom workflows are judged, and a warning if their credentials file is readable by others. */
export function introduceCustom({ loads }: Plan, progress: Progress): void {
  for (const { custom } of loads) {
    if (!custom) continue;
    const warning = custom.credentials !== undefined && exposure(custom.credentials);
    if (warning) progress.line(`  warning: ${warning}`);
    progress.line(
      `  ${escapeControls(custom.name)}: ${custom.method} ${withoutSecrets(custom.path)}; answers are judged by status only, executions are counted in n8n`,
    );
  }
}
