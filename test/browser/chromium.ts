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

/** Debian's Chromium, without a word to the internet. Throws when it is not installed. */
export function launch(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`${CHROMIUM}: no Chromium there; apt-get install chromium, or set CHROMIUM to the path of one.`);
  }
  return chromium.launch({ executablePath: CHROMIUM, args: QUIET });
}

/** A page as large as a small laptop's, in the light theme, patient enough for a busy machine. */
export async function openPage(): Promise<{ browser: Browser; page: Page }> {
  const browser = await launch();
  const context = await browser.newContext({ viewport: { width: 1360, height: 720 }, colorScheme: 'light' });
  context.setDefaultTimeout(60_000);
  return { browser, page: await context.newPage() };
}
