import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Where the installer of n8n-capacity keeps what it builds; the same rule as `capacity/src/tools/cache.ts`. */
const cache = process.env.N8N_TUNED_CACHE ?? join(homedir(), '.cache', 'n8n-tuned');

/** The tests run what `make` installed, or what the environment names; they never install. */
function find(name: string): string {
  const folders = [join(cache, 'bin'), ...(process.env.PATH ?? '').split(delimiter)];
  const found = process.env[name.toUpperCase()] ?? folders.map((f) => join(f, name)).find(existsSync);
  if (!found) throw new Error(`${name} is not installed: run "make setup" first`);
  return found;
}

export const helm = find('helm');
export const k6 = find('k6');
