import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linksOf, withoutBlocks } from './markdown.js';

/** A figure of an answer stands on a page that the answer links to, whose figures are those of a record. */

const folder = join(import.meta.dirname, '../../docs');
const FIGURE = /\d[\d.]*(?:\/s\b| %| ×| ms\b)/g;
const answers = readFileSync(join(folder, 'faq.md'), 'utf8').split(/^## /m).slice(1);
const figures = answers.flatMap((answer) => {
  const pages = linksOf(withoutBlocks(answer)).map((link) => link.split('#')[0]!);
  return [...answer.replaceAll('\n', ' ').matchAll(FIGURE)].map(([figure]) => ({ figure, pages }));
});

test('there are figures', () => expect(figures.length).toBeGreaterThan(5));

test.each(figures)('$figure', ({ figure, pages }) => {
  const linked = pages.map((page) => readFileSync(join(folder, page), 'utf8')).join('\n');
  expect(new RegExp(`(?<![\\d.])${figure.replaceAll('.', '\\.')}`).test(linked)).toBe(true);
});
