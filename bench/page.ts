import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { repository } from '../capacity/src/core/paths.js';

/** The repository: these scripts run compiled below capacity/dist, where `repository` is not what it is in capacity/src. */
export const root = join(repository, '..', '..', '..');

/**
 * Renders a page of the repository anew, formatted.
 * @param path relative to the repository, such as `docs/faults.md`
 * @param rendered the new text of the page, from the present one
 */
export async function renderPage(path: string, rendered: (page: string) => string): Promise<void> {
  const page = join(root, path);
  const options = { ...(await resolveConfig(page)), parser: 'markdown' };
  writeFileSync(page, await format(rendered(readFileSync(page, 'utf8')), options));
}
