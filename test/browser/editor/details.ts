import type { Locator, Page } from 'playwright-core';
import { canvasNode } from './canvas.js';
import { byTestId } from './test-id.js';

/** Opens the view of one node, with its parameters in the middle and its output on the right. */
export async function openNode(page: Page, name: string): Promise<void> {
  await canvasNode(page, name).dblclick();
  await byTestId(page, 'ndv').waitFor();
}

export async function closeNode(page: Page): Promise<void> {
  await byTestId(page, 'ndv-close-button').click();
  await byTestId(page, 'ndv').waitFor({ state: 'hidden' });
}

export const parameter = (page: Page, name: string): Locator =>
  byTestId(byTestId(page, 'ndv'), `parameter-input-${name}`);

/** Runs the open node and the nodes that it needs. Resolves when it has succeeded. */
export async function executeStep(page: Page): Promise<void> {
  await byTestId(page, 'node-execute-button').click();
  await byTestId(byTestId(page, 'output-panel'), 'node-run-status-success').waitFor();
}

/** The output items of the open node, read from its JSON tab. */
export async function outputItems(page: Page): Promise<unknown[]> {
  const output = byTestId(page, 'output-panel');
  await byTestId(output, 'radio-button-json').click();
  const text = await output.locator('.vjs-tree').innerText();
  // The tab indents with non-breaking spaces, which JSON does not allow.
  return JSON.parse(text.replaceAll('\u00a0', ' ')) as unknown[];
}
