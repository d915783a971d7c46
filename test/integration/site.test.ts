import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deadLinks } from '../../site/dead-links.js';
import { outlineOf } from '../../site/outline.js';
import { addressOf, fileOf, placeOf } from '../../site/pages.js';
import { tracked } from '../docs/markdown.js';

/** docs/ as a site, built as `npm run site` does. */

const root = join(import.meta.dirname, '../..');
const BASE = '/n8n-tuned/';
const outline = outlineOf((path) => readFileSync(join(root, path), 'utf8'));
const pages = [...tracked].filter((path) => path.startsWith('docs/') && path.endsWith('.md'));
const htmlOf = (path: string) => placeOf(path).replace(/\.md$/, '.html');

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
  const named = outline.flatMap(({ entries }) => entries.map(({ path }) => fileOf(path)));
  const built = files().filter((file) => file.endsWith('.html') && file !== '404.html');
  expect(built.sort()).toEqual([...new Set([...pages, ...named])].map(htmlOf).sort());
});

test('no link is dead, neither to a page nor to a heading', () => expect(deadLinks(folder, BASE)).toEqual([]));

test('the sidebar has the sections and pages of docs/README.md in their order', () => {
  const [, sidebar] = /<aside class="VPSidebar[^]*?>([^]*?)<\/aside>/.exec(read('index.html'))!;
  const links = [...sidebar!.matchAll(/<a class="VPLink[^>]* href="([^"]+)"/g)].map(([, link]) => link!);
  const entries = outline.flatMap((section) => section.entries.flatMap((entry) => [entry, ...entry.pages]));
  expect(links).toEqual(entries.map(({ path }) => BASE + addressOf(path).slice(1)));
});

/** The SVG plots of a page, which the build copies or puts into the page. */
const plotsIn = (path: string) =>
  (readFileSync(join(root, path), 'utf8').match(/!\[[^\]]*\]\([^)]+\.svg\)/g) ?? []).length;
const plotted = pages.filter((path) => plotsIn(path) > 0);

test('the plots of the experiments are found', () => expect(plotted.length).toBeGreaterThan(5));

test.each(plotted)('%s shows its plots', (path) => {
  const sources = [...read(htmlOf(path)).matchAll(/<img src="([^"]+)"/g)].map(([, source]) => source!);
  const plots = sources.filter((source) => source.startsWith('data:image/svg') || source.endsWith('.svg'));
  expect(plots.length).toBe(plotsIn(path));
});

test('a page loads nothing from another host', () => {
  const loads =
    /<(?:script|img|iframe|source|link)\b[^>]*?\b(?:src|href)="(?:https?:)?\/\/[^"]*"|url\((?:https?:)?\/\/|@import/g;
  for (const file of files().filter((name) => /\.(html|css)$/.test(name)))
    expect([file, read(file).match(loads) ?? []]).toEqual([file, []]);
});

test('the search has an index of its own', () => {
  const index = files().filter((file) => /localSearchIndex.*\.js$/.test(file));
  expect(index.length).toBe(1);
  expect(read(index[0]!)).toContain('payload-limit');
});
