import type { Progress } from '../core/progress.js';
import { ensureHelm, ensureK6 } from './programs.js';
import { ensurePostgres } from './postgres.js';
import { ensureN8n, pinnedVersions, resolveN8n } from './runtimes.js';
import { ensureRedis } from './system.js';

/** What to install: k6 and helm only (`tools`), an n8n too (`default`), or also everything that tests need (`all`). */
export type SetupScope = 'tools' | 'default' | 'all';

/**
 * Installs what is missing; prints nothing if nothing is.
 * @param n8n the n8n to install; where it cannot be had, the nearest patch
 */
export async function setup(scope: SetupScope, progress: Progress, n8n?: string): Promise<void> {
  await ensureK6(progress);
  await ensureHelm(progress);
  if (scope === 'tools') return;
  if (n8n !== undefined) await installSaying(n8n, progress);
  if (scope === 'default') return;
  for (const version of await pinnedVersions()) await ensureN8n(version, progress);
  await ensurePostgres(progress);
  await ensureRedis(progress);
}

/** Installs an n8n, and says first if it is another patch. */
async function installSaying(n8n: string, progress: Progress): Promise<void> {
  const { why, version } = await resolveN8n(n8n);
  if (why !== undefined) progress.line(why.replace(/; this run measures .*/, `; ${version} takes its place`));
  await ensureN8n(n8n, progress);
}
