import type { Locator, Page } from 'playwright-core';
import { byTestId } from './test-id.js';

/** The open credential. */
export const credentialDialog = (page: Page): Locator => byTestId(page, 'editCredential-modal');

/** Opens a new credential of the open node that has none: "Connect to …". */
export async function connect(page: Page): Promise<void> {
  await byTestId(page, 'node-credentials-empty-state').click();
  await credentialDialog(page).waitFor();
}

/** Names the open credential. */
export async function nameCredential(page: Page, name: string): Promise<void> {
  const title = byTestId(credentialDialog(page), 'credential-name');
  await title.click();
  await title.locator('input').fill(name);
  await title.locator('input').press('Enter');
}

/** Fills fields of the open credential, by the names of its properties. */
export async function fillCredential(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) {
    await byTestId(credentialDialog(page), `parameter-input-${name}`).locator('input').fill(value);
  }
}

export const saveCredential = (page: Page): Promise<void> =>
  byTestId(credentialDialog(page), 'credential-save-button').click();

/** The name of the credential that the open node uses. */
export const chosenCredential = (page: Page): Promise<string> =>
  byTestId(page, 'node-credentials-select').locator('input').inputValue();
