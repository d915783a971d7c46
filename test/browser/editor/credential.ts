import type { Locator, Page } from 'playwright-core';
import { waitUntilTrue } from '../until.js';
import { byTestId } from './test-id.js';

/** The dialog of the open credential. */
export const dialog = (page: Page): Locator => byTestId(page, 'editCredential-modal');

/** Opens a new credential for the open node, which must have none yet: "Connect to …". */
export async function openNewCredential(page: Page): Promise<void> {
  await byTestId(page, 'node-credentials-empty-state').click();
  await dialog(page).waitFor();
}

/** Opens the credential of the open node; n8n then tests it. */
export async function openCredential(page: Page): Promise<void> {
  await byTestId(page, 'credential-edit-button').click();
  await dialog(page).waitFor();
}

export async function renameCredential(page: Page, text: string): Promise<void> {
  const title = byTestId(dialog(page), 'credential-name');
  await title.click();
  await title.locator('input').fill(text);
  await title.locator('input').press('Enter');
}

/** Fills in fields by their property names. */
export async function fillFields(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [field, value] of Object.entries(fields)) {
    await byTestId(dialog(page), `parameter-input-${field}`).locator('input').fill(value);
  }
}

/** Saves the credential. If a node can test it, n8n does so, and closes the dialog unless the test fails. */
export const saveCredential = (page: Page): Promise<void> => byTestId(dialog(page), 'credential-save-button').click();

export async function closeDialog(page: Page): Promise<void> {
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await dialog(page).waitFor({ state: 'hidden' });
}

/** Waits until n8n reports a successful test. */
export async function waitUntilAccepted(page: Page): Promise<void> {
  const banner = byTestId(dialog(page), 'credentials-config-container-test-success');
  await banner.getByText('Connection tested successfully').waitFor();
  await banner.getByText('Retry').waitFor();
}

/** The reason of a failed test, shown under "More details". */
export async function readRefusal(page: Page): Promise<string> {
  const banner = dialog(page).locator('.el-tag--danger', { hasText: 'connect with these settings' });
  await banner.getByText('More details').click();
  await banner.getByText('Retry').waitFor();
  return banner.innerText();
}

/** Waits until the open node uses the credential of that name. */
export async function waitUntilChosen(page: Page, text: string): Promise<void> {
  const select = byTestId(page, 'node-credentials-select').locator('input');
  await waitUntilTrue(`the node uses "${text}"`, 60, async () => (await select.inputValue()) === text);
}
