import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { chartFolder } from '../core/paths.js';

let known: Map<string, string[]> | undefined;

/** JavaScript files of the chart, their texts by name. */
function ownFiles(): Map<string, string[]> {
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

/** Whether a JavaScript file of this name with this text is one of the chart's. */
export const isOwnFile = (name: string, text: string): boolean => ownFiles().get(name)?.includes(text) ?? false;
