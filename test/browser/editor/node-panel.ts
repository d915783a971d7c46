import type { Locator, Page } from 'playwright-core';
import { byTestId } from './test-id.js';

/** The panel from which nodes are added. */
const panel = (page: Page): Locator => byTestId(page, 'node-creator');

/** Opens the panel and types into its search field. */
export async function searchNode(page: Page, words: string): Promise<void> {
  if (!(await panel(page).isVisible())) await byTestId(page, 'node-creator-plus-button').click();
  await byTestId(panel(page), 'node-creator-search-bar').fill(words);
}

/** The search result of that name. */
export const foundNode = (page: Page, name: string): Locator =>
  byTestId(panel(page), 'node-creator-item-name').getByText(name, { exact: true });

/** Adds a node by one of its actions; n8n then opens its view. */
export async function addNodeByAction(page: Page, node: string, action: string): Promise<void> {
  await searchNode(page, node);
  await foundNode(page, node).click();
  // In an empty workflow n8n shows the node's triggers and folds its actions.
  const actions = panel(page).getByText(/^Actions \(\d+\)$/);
  const wanted = panel(page).getByText(action, { exact: true });
  await actions.waitFor();
  if (!(await wanted.isVisible())) await actions.click();
  await wanted.click();
}
