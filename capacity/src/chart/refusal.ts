import { execa } from 'execa';
import { chartFolder } from '../core/paths.js';

/** Why the chart refuses a values file, in its own words; undefined if it accepts it. */
export async function chartRefusal(helm: string, file: string): Promise<string | undefined> {
  const result = await execa(helm, ['template', 'check', chartFolder, '-f', file], { reject: false, stdin: 'ignore' });
  return result.failed ? result.stderr.trim() : undefined;
}
