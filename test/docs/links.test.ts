import { findAnchors, findBrokenLinks, findLinkTargets, trackedFiles, stripCodeBlocks } from './markdown.js';

const pages = [...trackedFiles].filter((path) => path.endsWith('.md'));

test.each(pages)('every relative link of %s leads to a tracked file and heading', (page) => {
  expect(findBrokenLinks(page)).toEqual([]);
});

test.each([
  ['[a](b.md)', ['b.md']],
  ['![a picture](b.png "title") and [c](<d.md>)', ['b.png', 'd.md']],
  ['see [a][b]\n\n[b]: ../c.md#d', ['../c.md#d']],
  ['<img alt="" src="e.png">', ['e.png']],
  ['`[a](b.md)` and ``[`c`](d.md)``', []],
  ['```sh\n[a](b.md)\n```\n[c](d.md)', ['d.md']],
])('%j has the links %j', (text, links) => {
  expect(findLinkTargets(stripCodeBlocks(text))).toEqual(links);
});

test('findAnchors gives the anchors of GitHub', () => {
  const text = '# The `--slo` flag: p95, p99\n## Two\n## Two\n## [Linked](x.md) & more\n<a id="here"></a>';
  expect([...findAnchors(text)]).toEqual(['the---slo-flag-p95-p99', 'two', 'two-1', 'linked--more', 'here']);
});
