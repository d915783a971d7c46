import type { Locator, Page } from 'playwright-core';

/** What n8n's own tests find things by. */
export const byTestId = (where: Page | Locator, id: string): Locator => where.locator(`[data-test-id="${id}"]`);
