import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findDeadLinks } from '../../site/dead-links.js';

const folder = mkdtempSync(join(tmpdir(), 'dead-links-'));
afterAll(() => rmSync(folder, { recursive: true }));

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
put('index.html', '<h1 id="top">Top</h1> <a href="/base/a.html">a</a>');
put('a.html', '<h2 class="x" id="a-b">A</h2> <h2 id="q&amp;a">Q</h2>');
put('below/index.html', '<h1 id="below">Below</h1>');
put('assets/plot.svg', '<svg/>');

test.each([
  ['<a href="/base/">home</a>', []],
  ['<a class="x" href="/base/a.html#a-b">a heading</a>', []],
  ['<a href="/base/a.html#q&amp;a">an encoded heading</a>', []],
  ['<a href="./a.html">relative</a> <a href="below/">a folder</a>', []],
  ['<a href="#mine" id="mine">its own</a>', []],
  ['<a href="https://example.org/gone">another host</a> <a href="mailto:a@example.org">mail</a>', []],
  ['<img src="/base/assets/plot.svg">', []],
  ['<a href="/base/gone.html">gone</a>', ['/base/gone.html']],
  ['<a href="/base/a.html#gone">no such heading</a>', ['/base/a.html#gone']],
  ['<a href="#gone">no such heading here</a>', ['#gone']],
  ['<a href="/a.html">outside of the site</a>', ['/a.html']],
  ['<img alt="" src="/base/assets/gone.svg">', ['/base/assets/gone.svg']],
  ['<link rel="stylesheet" href="/base/gone.css">', ['/base/gone.css']],
])('%s: dead are %j', (html, dead) => {
  put('page.html', html);
  expect(findDeadLinks(folder, '/base/')).toEqual(dead.map((link) => `page.html → ${link}`));
});
