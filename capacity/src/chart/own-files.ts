import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { chartFolder } from '../core/paths.js';

let known: Map<string, string[]> | undefined;

/** Texts of the chart's JavaScript files, by file name. */
function readOwnFiles(): Map<string, string[]> {
  if (known) return known;
  known = new Map();
  const folder = join(chartFolder, 'files');
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.js')) continue;
    const name = basename(path);
    known.set(name, [...(known.get(name) ?? []), readFileSync(join(folder, path), 'utf8')]);
  }
  return known;
}

/** Data of the hook of the load targets. Its ids and names depend on the version of n8n, so its text is not compared. */
const DATA_FILE = 'load-targets.json';

/** Whether a file of this name with this text is one of the chart's. */
export const isOwnFile = (name: string, text: string): boolean =>
  name === DATA_FILE || (readOwnFiles().get(name)?.includes(text) ?? false);
