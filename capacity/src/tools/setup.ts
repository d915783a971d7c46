import type { Progress } from '../core/progress.js';
import { ensureHelm, ensureK6 } from './programs.js';
import { ensurePostgres } from './postgres.js';
import { ensureN8n, pinnedVersions } from './runtimes.js';
import { ensureRedis } from './system.js';

/** What to install: k6 and helm only (`tools`), the newest n8n too (`default`), or everything that tests need (`all`). */
export type SetupScope = 'tools' | 'default' | 'all';

/**
 * Installs what is missing; prints nothing if nothing is.
 * @param n8n a version of n8n to install beside the tools, instead of the pinned ones
 */
export async function setup(scope: SetupScope, progress: Progress, n8n?: string): Promise<void> {
  await ensureK6(progress);
  await ensureHelm(progress);
  if (n8n !== undefined) await ensureN8n(n8n, progress);
  if (scope === 'tools' || n8n !== undefined) return;
  const [current, ...older] = await pinnedVersions();
  await ensureN8n(current!, progress);
  if (scope === 'default') return;
  for (const version of older) await ensureN8n(version, progress);
  await ensurePostgres(progress);
  await ensureRedis(progress);
}
