import type { Locator, Page } from 'playwright-core';
import { canvasNode } from './canvas.js';
import { byTestId } from './test-id.js';

/** The view of one node: its parameters in the middle, its output on the right. */
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

/** Runs the open node, and what it needs before it; resolves when it has ended well. */
export async function executeStep(page: Page): Promise<void> {
  await byTestId(page, 'node-execute-button').click();
  await byTestId(byTestId(page, 'output-panel'), 'node-run-status-success').waitFor();
}

/** The items that the open node has put out, as its JSON tab shows them. */
export async function outputItems(page: Page): Promise<unknown[]> {
  const output = byTestId(page, 'output-panel');
  await byTestId(output, 'radio-button-json').click();
  const text = await output.locator('.vjs-tree').innerText();
  // It is indented by spaces that do not break, which JSON does not know.
  return JSON.parse(text.replaceAll('\u00a0', ' ')) as unknown[];
}
