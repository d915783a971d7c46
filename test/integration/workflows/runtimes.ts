import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, runtimesFolder } from '../../../capacity/src/core/paths.js';
import { terminalProgress } from '../../../capacity/src/core/progress.js';
import { ensureN8n, type N8nRuntime } from '../../../capacity/src/tools/runtimes.js';

const pinned = readdirSync(runtimesFolder)
  .filter((name) => name.startsWith('n8n-'))
  .map((folder) => {
    const manifest = JSON.parse(readFileSync(join(runtimesFolder, folder, 'package.json'), 'utf8'));
    const installed = existsSync(join(cacheFolder, 'runtimes', folder, 'node_modules', 'n8n'));
    return { version: manifest.dependencies.n8n as string, installed };
  });

/** The pinned n8n versions that nobody has installed here: nothing is installed for a check. */
export const missing = pinned.filter(({ installed }) => !installed).map(({ version }) => version);

/** Every n8n that is installed, the oldest line first. */
export const runtimes: N8nRuntime[] = [];
for (const { version, installed } of pinned) {
  if (installed) runtimes.push(await ensureN8n(version, terminalProgress(true)));
}
