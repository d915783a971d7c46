import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { repositoryFolder } from '../capacity/src/core/paths.js';

/** The root of the repository. These scripts run compiled below capacity/dist, where `repository` is another folder. */
export const root = join(repositoryFolder, '..', '..', '..');

/**
 * Renders and formats a page of the repository.
 * @param path path from the root of the repository, such as `docs/faults.md`
 * @param rendered gives the new text of the page from its current text
 */
export async function renderPage(path: string, rendered: (page: string) => string): Promise<void> {
  const page = join(root, path);
  const options = { ...(await resolveConfig(page)), parser: 'markdown' };
  writeFileSync(page, await format(rendered(readFileSync(page, 'utf8')), options));
}
