import type { Progress } from '../core/progress.js';
import { ensureHelm, ensureK6 } from './go-tools.js';
import { ensurePostgres } from './postgres.js';
import { ensureN8n, pinnedVersions } from './runtimes.js';
import { ensureRedis } from './system.js';

/** What to install: k6 and helm only (`tools`), the newest n8n too (`default`), or everything that tests need (`all`). */
export type SetupScope = 'tools' | 'default' | 'all';

/** Installs what is missing; prints nothing if nothing is. */
export async function setup(scope: SetupScope, progress: Progress): Promise<void> {
  await ensureK6(progress);
  await ensureHelm(progress);
  if (scope === 'tools') return;
  const [current, ...older] = await pinnedVersions();
  await ensureN8n(current!, progress);
  if (scope === 'default') return;
  for (const version of older) await ensureN8n(version, progress);
  await ensurePostgres(progress);
  await ensureRedis(progress);
}
