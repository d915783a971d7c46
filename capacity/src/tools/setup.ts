import type { Progress } from '../core/progress.js';
import { ensureHelm, ensureK6 } from './programs.js';
import { ensurePostgres } from './postgres.js';
import { ensureN8n, readPinnedVersions, resolveN8n } from './runtimes.js';
import { ensureRedis } from './system.js';

/** What to install: only k6 and helm (`tools`), an n8n too (`default`), or everything that tests need (`all`). */
export type SetupScope = 'tools' | 'default' | 'all';

/**
 * Installs the missing tools. Prints nothing if none is missing.
 * @param n8n the n8n to install; the nearest patch if it is unavailable
 */
export async function setUp(scope: SetupScope, progress: Progress, n8n?: string): Promise<void> {
  await ensureK6(progress);
  await ensureHelm(progress);
  if (scope === 'tools') return;
  if (n8n !== undefined) await installN8n(n8n, progress);
  if (scope === 'default') return;
  for (const version of await readPinnedVersions()) await ensureN8n(version, progress);
  await ensurePostgres(progress);
  await ensureRedis(progress);
}

/** Installs an n8n. If it is another patch, prints that first. */
async function installN8n(n8n: string, progress: Progress): Promise<void> {
  const { why, version } = await resolveN8n(n8n);
  if (why !== undefined) progress.line(why.replace(/; this run measures .*/, `; installing ${version} instead`));
  await ensureN8n(n8n, progress);
}
