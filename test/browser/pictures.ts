import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { repository } from '../../capacity/src/paths.js';

/** Where pictures go: a folder that git ignores, or where the environment says. */
const FOLDER = process.env.EDITOR_SCREENSHOTS ?? join(repository, 'results', 'editor');

/** Takes a picture of the page and returns its path. */
export async function takePicture(page: Page, name: string): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  return path;
}

/** The same of what the documentation shows; `docs/` is written only with UPDATE_SCREENSHOTS=1. */
export async function takeDocumentPicture(page: Page, name: string): Promise<void> {
  const path = await takePicture(page, name);
  if (process.env.UPDATE_SCREENSHOTS === '1') await copyFile(path, join(repository, 'docs', `${name}.png`));
}
