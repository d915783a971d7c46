import { readOutline } from '../../site/outline.js';
import { siteAddress, isPage, navigationBar, sitePath, sidebar } from '../../site/pages.js';

const files: Record<string, string> = {
  'docs/README.md': `# Documentation

Text with a [link](elsewhere.md) before the first section.

## Start

| to    | command        | page                                        |
| ----- | -------------- | ------------------------------------------- |
| begin | \`make a\`     | [Quick \`start\`](quick-start.md)           |
| ship  |                | [The chart](../charts/n8n-tuned/README.md)  |

## Nothing in a table

Only text.

## Operate

| to     | command | page                                                          |
| ------ | ------- | ------------------------------------------------------------- |
| act    |         | [Alerts](operate/README.md), also [others](operate/other.md)  |
| finish |         | [Completion](../capacity/README.md#completion)                |
`,
  'docs/operate/README.md': '[One](one.md) [Two](two.md) [One again](one.md) [out](../soak.md) ![no](two.svg)',
};
const outline = readOutline((path) => files[path] ?? '');

test('readOutline keeps the order of docs/README.md and puts the pages of a folder below its README', () => {
  expect(outline).toEqual([
    {
      title: 'Start',
      entries: [
        { title: 'Quick start', path: 'docs/quick-start.md', pages: [] },
        { title: 'The chart', path: 'charts/n8n-tuned/README.md', pages: [] },
      ],
    },
    {
      title: 'Operate',
      entries: [
        {
          title: 'Alerts',
          path: 'docs/operate/README.md',
          pages: [
            { title: 'One', path: 'docs/operate/one.md', pages: [] },
            { title: 'Two', path: 'docs/operate/two.md', pages: [] },
          ],
        },
        { title: 'Completion', path: 'capacity/README.md#completion', pages: [] },
      ],
    },
  ]);
});

test.each([
  ['docs/anything.md', true],
  ['charts/n8n-tuned/README.md', true],
  ['capacity/README.md', true],
  ['charts/n8n-tuned/UPGRADING.md', false],
  ['docs/report.png', false],
  ['README.md', false],
])('whether %s is a page: %s', (path, expected) => expect(isPage(path, outline)).toBe(expected));

test.each([
  ['docs/README.md', 'index.md', '/'],
  ['docs/size.md', 'size.md', '/size.html'],
  ['docs/operate/README.md', 'operate/index.md', '/operate/'],
  ['docs/chart/index.md', 'chart/index.md', '/chart/'],
  ['charts/n8n-tuned/README.md', 'charts/n8n-tuned/index.md', '/charts/n8n-tuned/'],
])('%s is at %s, and its address is %s', (path, place, address) => {
  expect(sitePath(path)).toBe(place);
  expect(siteAddress(path)).toBe(address);
  expect(siteAddress(`${path}#part`)).toBe(`${address}#part`);
});

test('navigationBar has the first page of each section, and sidebar has all pages', () => {
  expect(navigationBar(outline)).toEqual([
    { text: 'Start', link: '/quick-start.html' },
    { text: 'Operate', link: '/operate/' },
  ]);
  expect(sidebar(outline)[1]).toEqual({
    text: 'Operate',
    items: [
      {
        text: 'Alerts',
        link: '/operate/',
        collapsed: true,
        items: [
          { text: 'One', link: '/operate/one.html' },
          { text: 'Two', link: '/operate/two.html' },
        ],
      },
      { text: 'Completion', link: '/capacity/#completion' },
    ],
  });
});
