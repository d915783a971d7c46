import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { findDeadLinks } from '../../site/dead-links.js';
import { readOutline } from '../../site/outline.js';
import { siteAddress, stripAnchor, sitePath } from '../../site/pages.js';
import { findUnrenderedPages } from '../../site/unrendered.js';
import { trackedFiles } from '../docs/markdown.js';
import { launchChromium } from '../browser/chromium.js';

/** Tests docs/ as a site, built as `npm run site` does. */

const root = join(import.meta.dirname, '../..');
const BASE = '/n8n-tuned/';
const outline = readOutline((path) => readFileSync(join(root, path), 'utf8'));
const pages = [...trackedFiles].filter((path) => path.startsWith('docs/') && path.endsWith('.md'));
const htmlOf = (path: string) => sitePath(path).replace(/\.md$/, '.html');

const folder = mkdtempSync(join(tmpdir(), 'site-'));
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const files = () => readdirSync(folder, { recursive: true, encoding: 'utf8' });

beforeAll(() => {
  if (!existsSync(join(root, 'site/node_modules/vitepress')))
    throw new Error('the site generator is not installed: run "make site" once');
  const build = ['run', '--silent', 'build', '--prefix', 'site', '--', '--outDir', folder];
  execFileSync('npm', build, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
}, 900_000);

afterAll(() => rmSync(folder, { recursive: true }));

test('every page of docs/, and every page that docs/README.md names, is a page of the site', () => {
  const named = outline.flatMap(({ entries }) => entries.map(({ path }) => stripAnchor(path)));
  const built = files().filter((file) => file.endsWith('.html') && file !== '404.html');
  expect(built.sort()).toEqual([...new Set([...pages, ...named])].map(htmlOf).sort());
});

test("every page is rendered, with the braces of n8n's expressions", () => {
  expect(findUnrenderedPages(folder)).toEqual([]);
  expect(read('check.html')).toContain('$json.chatInput');
});

test('no link is dead, neither to a page nor to a heading', () => expect(findDeadLinks(folder, BASE)).toEqual([]));

test('the sidebar has the sections and pages of docs/README.md in their order', () => {
  const [, sidebar] = /<aside class="VPSidebar[^]*?>([^]*?)<\/aside>/.exec(read('index.html'))!;
  const links = [...sidebar!.matchAll(/<a class="VPLink[^>]* href="([^"]+)"/g)].map(([, link]) => link!);
  const entries = outline.flatMap((section) => section.entries.flatMap((entry) => [entry, ...entry.pages]));
  expect(links).toEqual(entries.map(({ path }) => BASE + siteAddress(path).slice(1)));
});

/** Number of SVG plots of a page, which the build copies or embeds. */
const countPlots = (path: string) =>
  (readFileSync(join(root, path), 'utf8').match(/!\[[^\]]*\]\([^)]+\.svg\)/g) ?? []).length;
const plotted = pages.filter((path) => countPlots(path) > 0);

test('the plots of the experiments are found', () => expect(plotted.length).toBeGreaterThan(5));

test.each(plotted)('%s shows its plots', (path) => {
  const sources = [...read(htmlOf(path)).matchAll(/<img src="([^"]+)"/g)].map(([, source]) => source!);
  const plots = sources.filter((source) => source.startsWith('data:image/svg') || source.endsWith('.svg'));
  expect(plots.length).toBe(countPlots(path));
});

test('a page loads nothing from another host', () => {
  const loads =
    /<(?:script|img|iframe|source|link)\b[^>]*?\b(?:src|href)="(?:https?:)?\/\/[^"]*"|url\((?:https?:)?\/\/|@import/g;
  for (const file of files().filter((name) => /\.(html|css)$/.test(name)))
    expect([file, read(file).match(loads) ?? []]).toEqual([file, []]);
});

test('the site has its own search index', () => {
  const index = files().filter((file) => /localSearchIndex.*\.js$/.test(file));
  expect(index.length).toBe(1);
  expect(read(index[0]!)).toContain('payload-limit');
});

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

describe('in Chromium', () => {
  let server: Server;
  let browser: Browser;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = decodeURI(new URL(request.url!, 'http://site').pathname);
      const file = join(folder, path.replace(BASE, '').replace(/(^|\/)$/, '$1index.html'));
      if (!path.startsWith(BASE) || !existsSync(file)) return void response.writeHead(404).end();
      response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream');
      createReadStream(file).pipe(response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  /** Opens a page at a width; returns it with the messages of the console and the requests to other hosts. */
  async function open(path: string, width: number): Promise<{ page: Page; complaints: string[] }> {
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    const complaints: string[] = [];
    const { port } = server.address() as AddressInfo;
    const origin = `http://127.0.0.1:${port}`;
    page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) complaints.push(request.url());
    });
    await page.goto(`${origin}${BASE}${htmlOf(path)}`, { waitUntil: 'networkidle' });
    return { page, complaints };
  }

  describe.each([1280, 390])('at %i px', (width) => {
    test.each(['docs/README.md', 'docs/architecture.md', 'charts/n8n-tuned/README.md', ...plotted])(
      '%s fits the width, shows its pictures and requests nothing from another host',
      async (path) => {
        const { page, complaints } = await open(path, width);
        const shown = await page.$$eval('.vp-doc img', (all) =>
          all.map((img) => (img as HTMLImageElement).naturalWidth),
        );
        expect(shown.length).toBeGreaterThanOrEqual(countPlots(path));
        expect(shown.filter((natural) => natural === 0)).toEqual([]);
        // On a busy machine the layout may not be complete yet.
        await page.waitForFunction((most) => document.documentElement.scrollWidth <= most, width).catch(() => {});
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        expect(complaints).toEqual([]);
        await page.context().close();
      },
    );
  });

  test('a diagram is drawn', async () => {
    const { page } = await open('docs/architecture.md', 1280);
    await page.locator('svg#diagram').getByText('driveLoad').waitFor();
    expect(await page.getByText('flowchart TB').count()).toBe(0);
    await page.context().close();
  });

  test('the search finds a page by its words, without a request to another host', async () => {
    const { page, complaints } = await open('docs/README.md', 1280);
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('largest payload');
    const first = page.locator('.VPLocalSearchBox .result').first();
    await first.waitFor();
    await first.click();
    await page.waitForURL(/payload-limit/);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
