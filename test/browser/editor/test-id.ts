import type { Locator, Page } from 'playwright-core';

/** The element with this `data-test-id`, the attribute that n8n's own tests use. */
export const byTestId = (where: Page | Locator, id: string): Locator => where.locator(`[data-test-id="${id}"]`);
