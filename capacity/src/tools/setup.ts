import type { Progress } from '../core/progress.js';
import { ensureHelm, ensureK6 } from './go-tools.js';
import { ensurePostgres } from './postgres.js';
import { ensureN8n, pinnedVersions } from './runtimes.js';
import { ensureRedis } from './system.js';

/** Sets of things to install: k6 and helm alone, what a plain validation needs, or all that any deployment or test may need. */
export type SetupScope = 'tools' | 'default' | 'all';

/** Installs what is missing; a second call finds it all and says nothing. */
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
