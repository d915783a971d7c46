import type { Page } from 'playwright-core';
import { byTestId } from './test-id.js';

/** Sets up the owner's account on the first page of a new n8n. The browser is logged in afterwards. */
export async function setUpOwner(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForURL('**/setup');
  const account = {
    email: 'owner@example.com',
    firstName: 'Olivia',
    lastName: 'Owner',
    password: 'Tuned-1234',
  };
  for (const [field, value] of Object.entries(account)) await byTestId(page, field).locator('input').fill(value);
  await byTestId(page, 'form-submit-button').click();
  await page.waitForURL((now) => !now.pathname.includes('setup'));
}
