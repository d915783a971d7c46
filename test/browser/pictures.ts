import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { repositoryFolder } from '../../capacity/src/core/paths.js';

/** Folder of the pictures: EDITOR_SCREENSHOTS, or a folder that git ignores. */
const FOLDER = process.env.EDITOR_SCREENSHOTS ?? join(repositoryFolder, 'results', 'editor');

/** Hides n8n's notifications, which come and go and cover the page. */
const HIDE_TOASTS = '.el-notification { display: none !important }';

/** Takes a picture of the page and returns its path. */
export async function takePicture(page: Page, name: string): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  await waitUntilSettled(page);
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path, style: HIDE_TOASTS });
  return path;
}

/** Takes a picture for the documentation; `docs/` is written only with UPDATE_SCREENSHOTS=1. */
export async function takeDocumentPicture(page: Page, name: string): Promise<void> {
  const path = await takePicture(page, name);
  if (process.env.UPDATE_SCREENSHOTS === '1') await copyFile(path, join(repositoryFolder, 'docs', `${name}.png`));
}

/** Waits until all finite animations have ended and no button is busy, at most 5 s. */
async function waitUntilSettled(page: Page): Promise<void> {
  const still = () =>
    document.querySelector('button[aria-busy="true"]') === null &&
    document.getAnimations().every((animation) => animation.effect?.getComputedTiming().endTime === Infinity);
  await page.waitForFunction(still, undefined, { timeout: 5000 }).catch(() => undefined);
}
