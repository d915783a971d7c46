import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLinkTargets, stripCodeBlocks } from './markdown.js';

/** Each figure of an answer must occur on a page that the answer links to; the figures of those pages come from records. */

const folder = join(import.meta.dirname, '../../docs');
const FIGURE = /\d[\d.]*(?:\/s\b| %| ×| ms\b)/g;
const answers = readFileSync(join(folder, 'faq.md'), 'utf8').split(/^## /m).slice(1);
const figures = answers.flatMap((answer) => {
  const pages = findLinkTargets(stripCodeBlocks(answer)).map((link) => link.split('#')[0]!);
  return [...answer.replaceAll('\n', ' ').matchAll(FIGURE)].map(([figure]) => ({ figure, pages }));
});

test('the FAQ contains figures', () => expect(figures.length).toBeGreaterThan(5));

test.each(figures)('$figure', ({ figure, pages }) => {
  const linked = pages.map((page) => readFileSync(join(folder, page), 'utf8')).join('\n');
  expect(new RegExp(`(?<![\\d.])${figure.replaceAll('.', '\\.')}`).test(linked)).toBe(true);
});
