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

/** The pinned n8n versions that are not installed here. The tests do not install them. */
export const missing = pinned.filter(({ installed }) => !installed).map(({ version }) => version);

/** Every installed n8n, the oldest first. */
export const runtimes: N8nRuntime[] = [];
for (const { version, installed } of pinned) {
  if (installed) runtimes.push(await ensureN8n(version, terminalProgress(true)));
}
