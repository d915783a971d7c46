import { jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { judgeRun } from '../../capacity/src/judge/run.js';
import { renderHtml } from '../../capacity/src/report/html/page.js';
import { hostileRun, passingRun, recommendation } from '../capacity/report/fixtures.js';

jest.setTimeout(60_000);

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let browser: Browser;
let folder: string;
let page: Page;
/** Whatever a reader should never meet: errors of the page, and requests that leave the file. */
let complaints: string[];

beforeAll(async () => {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`${CHROMIUM}: no Chromium there; apt-get install chromium, or set CHROMIUM to the path of one.`);
  }
  folder = await mkdtemp(join(tmpdir(), 'report-'));
  for (const [name, run, next] of [
    ['pass', passingRun(), recommendation],
    ['hostile', hostileRun(), undefined],
  ] as const) {
    await writeFile(join(folder, `${name}.html`), await renderHtml(run, judgeRun(run.run.plan, run.steps), next));
  }
  browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
});

afterAll(async () => {
  await browser?.close();
  if (folder) await rm(folder, { recursive: true });
});

async function open(name: string, width: number, colorScheme: 'light' | 'dark'): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  page = await context.newPage();
  complaints = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
  await page.waitForFunction(() => [...document.querySelectorAll('.plot')].every((plot) => plot.querySelector('svg')));
}

afterEach(() => page.context().close());

describe.each(['pass', 'hostile'])('%s', (name) => {
  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('at %i px, %s: drawn, within the page, without a word on the console', async (width, theme) => {
    await open(name, width, theme);
    const lines = await page.$$eval('.plot', (plots) => plots.map((plot) => plot.querySelectorAll('svg path').length));
    expect(Math.min(...lines)).toBeGreaterThan(5);
    const widths = await page.$$eval('.plot svg', (all) => all.map((svg) => svg.getBoundingClientRect().right));
    expect(Math.max(...widths)).toBeLessThanOrEqual(width);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(complaints).toEqual([]);
  });
});

test('plots follow the theme and the width', async () => {
  await open('pass', 1280, 'light');
  const stroke = () => page.$eval('#plot-1 svg path[stroke="var(--p95)"]', (path) => getComputedStyle(path).stroke);
  const light = await stroke();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await stroke()).not.toBe(light);
  await page.setViewportSize({ width: 500, height: 900 });
  await page.waitForFunction(() => document.querySelector('#plot-1 svg')!.getBoundingClientRect().width < 500);
  expect(complaints).toEqual([]);
});

test('pointing at a rate tells of its steps, and a key hides its series', async () => {
  await open('pass', 1280, 'light');
  const plot = page.locator('#plot-1');
  const box = (await plot.boundingBox())!;
  await plot.hover({ position: { x: box.width * 0.82, y: box.height / 2 } });
  await plot.getByText('step 5, broken').waitFor();
  expect(await plot.innerText()).toMatch(/80\/s\s+step 5, broken\s+p50/);
  // ECharts draws in the frame after the click, so each state is waited for.
  const line = page.locator('#plot-1 path[stroke="var(--p99)"][stroke-width="2"]');
  await line.waitFor({ state: 'attached' });
  const key = page.getByRole('button', { name: 'p99' });
  await key.click();
  expect(await key.getAttribute('aria-pressed')).toBe('false');
  await line.waitFor({ state: 'detached' });
  await key.click();
  await line.waitFor({ state: 'attached' });
  expect(complaints).toEqual([]);
});

test('the recommended values can be copied', async () => {
  await open('pass', 1280, 'light');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(recommendation.values);
});

test('on paper, plots fit and the page is light', async () => {
  await open('pass', 1280, 'dark');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.setViewportSize({ width: 718, height: 1000 });
  expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe('rgb(29, 33, 37)');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(718);
});
