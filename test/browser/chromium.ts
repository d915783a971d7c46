import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page that asks the internet gets its answer at once: no.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** A page as large as a small laptop's, in the light theme, patient enough for a busy machine. */
export async function openPage(): Promise<{ browser: Browser; page: Page }> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`${CHROMIUM}: no Chromium there; apt-get install chromium, or set CHROMIUM to the path of one.`);
  }
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
  const context = await browser.newContext({ viewport: { width: 1360, height: 720 }, colorScheme: 'light' });
  context.setDefaultTimeout(60_000);
  return { browser, page: await context.newPage() };
}
