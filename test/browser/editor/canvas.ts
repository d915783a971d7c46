import type { Locator, Page } from 'playwright-core';
import { byTestId } from './test-id.js';

/** Opens the editor with an empty workflow. */
export async function openNewWorkflow(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/workflow/new`);
  await byTestId(page, 'canvas-add-button').waitFor();
}

/** Imports a workflow by ⋯ → Import → From file, as workflows/README.md describes. */
export async function importFromFile(page: Page, file: string): Promise<void> {
  await byTestId(page, 'workflow-menu').click();
  await byTestId(page, 'workflow-menu-item-import').hover();
  const chooser = page.waitForEvent('filechooser');
  await byTestId(page, 'workflow-menu-item-import-from-file').click();
  await (await chooser).setFiles(file);
}

export const canvasNode = (page: Page, name: string): Locator =>
  page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);

/** Clicks the run button below the canvas. Resolves when n8n has started the workflow, or listens for its trigger. */
export async function executeWorkflow(page: Page): Promise<void> {
  const started = page.waitForResponse(/\/rest\/workflows\/[^/]+\/run/);
  await byTestId(page, 'execute-workflow-button').click();
  await started;
}
