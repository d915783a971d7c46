import type { Locator, Page } from 'playwright-core';
import { until } from '../until.js';
import { byTestId } from './test-id.js';

/** The credential that is open over the node that uses it. */
export const dialog = (page: Page): Locator => byTestId(page, 'editCredential-modal');

/** Opens a new credential for the open node, which has none: "Connect to …". */
export async function connect(page: Page): Promise<void> {
  await byTestId(page, 'node-credentials-empty-state').click();
  await dialog(page).waitFor();
}

/** Opens the one that the open node uses; n8n tests it then. */
export async function edit(page: Page): Promise<void> {
  await byTestId(page, 'credential-edit-button').click();
  await dialog(page).waitFor();
}

export async function name(page: Page, text: string): Promise<void> {
  const title = byTestId(dialog(page), 'credential-name');
  await title.click();
  await title.locator('input').fill(text);
  await title.locator('input').press('Enter');
}

/** Fills fields, by the names of their properties. */
export async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [field, value] of Object.entries(fields)) {
    await byTestId(dialog(page), `parameter-input-${field}`).locator('input').fill(value);
  }
}

/** Saves; n8n tests the credential if a node can, and closes the dialog unless that fails. */
export const save = (page: Page): Promise<void> => byTestId(dialog(page), 'credential-save-button').click();

export async function close(page: Page): Promise<void> {
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await dialog(page).waitFor({ state: 'hidden' });
}

/** Resolves when n8n says that its test went well. */
export async function isAccepted(page: Page): Promise<void> {
  const banner = byTestId(dialog(page), 'credentials-config-container-test-success');
  await banner.getByText('Connection tested successfully').waitFor();
  await banner.getByText('Retry').waitFor();
}

/** Why the test has failed, as a reader finds it: under "More details". */
export async function refusal(page: Page): Promise<string> {
  const banner = dialog(page).locator('.el-tag--danger', { hasText: 'connect with these settings' });
  await banner.getByText('More details').click();
  await banner.getByText('Retry').waitFor();
  return banner.innerText();
}

/** Resolves when the open node uses the credential of that name. */
export async function isChosen(page: Page, text: string): Promise<void> {
  const select = byTestId(page, 'node-credentials-select').locator('input');
  await until(`the node uses "${text}"`, 60, async () => (await select.inputValue()) === text);
}
