import { jest } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { judgeSteps } from '../../capacity/src/judge/run.js';
import { renderHtml } from '../../capacity/src/report/html/page.js';
import { renderSweepHtml } from '../../capacity/src/features/sweep/report/page.js';
import { runAsJunit } from '../../capacity/src/report/junit.js';
import { sweepAsJunit } from '../../capacity/src/features/sweep/report/junit.js';
import { launchChromium } from '../browser/chromium.js';
import {
  buildHostileRun,
  buildHostileSweep,
  buildPassingRun,
  recommendation,
  buildSearchSweep,
  buildTargetSweep,
} from '../capacity/support/index.js';

jest.setTimeout(60_000);

let browser: Browser;
let folder: string;
let page: Page;

/** Errors of the page, and requests to anything outside of the file. Both must stay empty. */
let complaints: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'report-'));
  for (const [name, run, next] of [
    ['pass', buildPassingRun(), recommendation],
    ['hostile', buildHostileRun(), undefined],
  ] as const) {
    await writeFile(join(folder, `${name}.html`), await renderHtml(run, judgeSteps(run.run.plan, run.steps), next));
  }
  for (const [name, report, next] of [
    ['sweep', buildSearchSweep(), undefined],
    ['sweep with a target', buildTargetSweep(), recommendation],
    ['hostile sweep', buildHostileSweep(), undefined],
  ] as const) {
    await writeFile(join(folder, `${name}.html`), await renderSweepHtml(report, next));
  }
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  if (folder) await rm(folder, { recursive: true });
});

async function openReport(name: string, width: number, colorScheme: 'light' | 'dark'): Promise<void> {
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

describe.each(['pass', 'hostile', 'sweep', 'sweep with a target', 'hostile sweep'])('%s', (name) => {
  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('at %i px, %s: drawn, within the page, without a word on the console', async (width, theme) => {
    await openReport(name, width, theme);
    const lines = await page.$$eval('.plot', (plots) => plots.map((plot) => plot.querySelectorAll('svg path').length));
    expect(Math.min(...lines)).toBeGreaterThan(5);
    const withTable = await page.$$eval('section .plot', (plots) =>
      plots.map((p) => p.closest('section')!.querySelector('table')),
    );
    expect(withTable).not.toContain(null);
    const widths = await page.$$eval('.plot svg', (all) => all.map((svg) => svg.getBoundingClientRect().right));
    expect(Math.max(...widths)).toBeLessThanOrEqual(width);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(complaints).toEqual([]);
    expect(await findBarriers()).toEqual([]);
  });
});

/** Violations of the accessibility rules of WCAG 2.2, levels A and AA. */
async function findBarriers(): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    }),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 120)} ${node.failureSummary}`),
  );
}

/** The plot with this title. */
const plotOf = (title: string, nth = 0) => page.locator('figure', { hasText: title }).locator('.plot').nth(nth);

test('plots follow the theme and the width', async () => {
  await openReport('pass', 1280, 'light');
  const stroke = () => page.$eval('.card svg path[stroke="var(--p95)"]', (path) => getComputedStyle(path).stroke);
  const light = await stroke();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await stroke()).not.toBe(light);
  await page.setViewportSize({ width: 500, height: 900 });
  await page.waitForFunction(() => document.querySelector('.card svg')!.getBoundingClientRect().width < 500);
  expect(complaints).toEqual([]);
});

test('pointing at a rate shows its steps, and a legend button hides its series', async () => {
  await openReport('pass', 1280, 'light');
  const plot = plotOf('Latency against arrival rate');
  const box = (await plot.boundingBox())!;
  await plot.hover({ position: { x: box.width * 0.82, y: box.height / 2 } });
  await plot.getByText('step 5, broken').waitFor();
  expect(await plot.innerText()).toMatch(/80\/s\s+step 5, broken\s+p50/);
  // ECharts draws in the frame after the click, so the test waits for each state.
  const line = plot.locator('path[stroke="var(--p99)"][stroke-width="2"]');
  await line.waitFor({ state: 'attached' });
  const key = page.locator('.keys').getByRole('button', { name: 'p99' });
  await key.click();
  expect(await key.getAttribute('aria-pressed')).toBe('false');
  await line.waitFor({ state: 'detached' });
  await key.click();
  await line.waitFor({ state: 'attached' });
  expect(complaints).toEqual([]);
});

test('a term shows its explanation for pointer and keyboard, and Escape closes it', async () => {
  await openReport('pass', 1280, 'light');
  const bubble = page.getByRole('tooltip');
  const word = page.locator('.steps').getByRole('button', { name: 'Drain' });
  await word.hover();
  await bubble.getByText('no load is sent').waitFor();
  // The explanation stays while the pointer is on it.
  await bubble.hover();
  expect(await bubble.isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  expect(await bubble.isVisible()).toBe(false);
  await word.focus();
  await bubble.getByText('no load is sent').waitFor();
  await word.blur();
  await bubble.waitFor({ state: 'hidden' });
  expect(complaints).toEqual([]);
});

test('the verdict and a plot are on the first screen', async () => {
  await openReport('pass', 1280, 'light');
  const bottom = await page
    .locator('.card .plot')
    .first()
    .evaluate((plot) => plot.getBoundingClientRect().bottom);
  expect(bottom).toBeLessThan(900);
});

test('no line of the values is cut off', async () => {
  await openReport('pass', 390, 'light');
  expect(await page.locator('pre').evaluate((pre) => pre.scrollWidth - pre.clientWidth)).toBe(0);
});

test('the recommended values can be copied', async () => {
  await openReport('pass', 1280, 'light');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(recommendation.values);
});

test('configurations can be sorted by any column, those without a number last', async () => {
  await openReport('sweep', 1280, 'light');
  const column = (n: number) =>
    page.$$eval(
      'tbody[id^=configuration] tr:first-child',
      (rows, at) => rows.map((row) => (row as HTMLTableRowElement).cells[at]!.innerText),
      n,
    );
  await page.getByRole('button', { name: 'Sustains/s' }).click();
  const rates = await column(7);
  expect(rates.slice(0, 3)).toEqual(['10.6', '13.2', '13.2']);
  expect(rates.slice(-5)).toEqual(['none', '–', '–', '–', '–']);
  await page.getByRole('button', { name: 'Sustains/s' }).click();
  expect((await column(7))[0]).toBe('85.6');
  expect(await page.getByRole('columnheader', { name: 'Sustains/s' }).getAttribute('aria-sort')).toBe('descending');
  await page.getByRole('button', { name: 'cpu' }).click();
  expect((await column(3))[0]).toBe('500m');
});

test('another pair of dimensions can be chosen for the heat maps', async () => {
  await openReport('sweep', 1280, 'light');
  const shown = () => page.$$eval('.heat', (all) => all.filter((t) => t.checkVisibility()).length);
  expect(await shown()).toBe(4);
  await page.getByRole('combobox', { name: 'Dimensions' }).selectOption('concurrency × cpu');
  expect(await shown()).toBe(8);
  expect(await page.locator('.heat:visible caption').first().innerText()).toBe('workers 1');
  expect(complaints).toEqual([]);
});

test('pointing at a cost shows its configurations', async () => {
  await openReport('sweep with a target', 1280, 'light');
  const plot = page.locator('#plot-1');
  const box = (await plot.boundingBox())!;
  await plot.hover({ position: { x: box.width * 0.9, y: box.height / 2 } });
  await plot.getByText('workers 4, cpu 1 (meets)').waitFor();
  expect(complaints).toEqual([]);
});

test.each([
  [
    'a run',
    () => runAsJunit(judgeSteps(buildHostileRun().run.plan, buildHostileRun().steps), buildHostileRun().run.plan.slo),
  ],
  ['a sweep', () => sweepAsJunit(buildHostileSweep().conclusion)],
])('JUnit of %s whose names try to be markup is well-formed', async (_what, render) => {
  page = await browser.newPage();
  const names = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, 'application/xml');
    return [...parsed.querySelectorAll('*')].map((element) => element.nodeName);
  }, render());
  expect(names).toContain('testcase');
  expect(names.filter((name) => !/^(testsuites?|testcase|system-out|failure|error|skipped)$/.test(name))).toEqual([]);
});

test('on paper, plots fit and the page is light', async () => {
  await openReport('pass', 1280, 'dark');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.setViewportSize({ width: 718, height: 1000 });
  expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe('rgb(29, 33, 37)');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(718);
});
