import { convertLink, type Repository } from '../../site/links.js';

const kinds: Record<string, 'file' | 'folder'> = {
  'docs/size.md': 'file',
  'docs/operate/README.md': 'file',
  'docs/operate': 'folder',
  'bench/results/truth.json': 'file',
  'SECURITY.md': 'file',
  experiments: 'folder',
};
const repository: Repository = {
  url: 'https://git.example/n8n-tuned',
  isPage: (path) => path.startsWith('docs/') && path.endsWith('.md') && path in kinds,
  kindOf: (path) => kinds[path],
};

test.each([
  ['size.md', 'docs/README.md', '/size.html'],
  ['../size.md#how', 'docs/operate/README.md', '/size.html#how'],
  ['operate/README.md', 'docs/size.md', '/operate/'],
  ['operate/', 'docs/size.md', 'https://git.example/n8n-tuned/tree/main/docs/operate'],
  ['../bench/results/truth.json', 'docs/size.md', 'https://git.example/n8n-tuned/blob/main/bench/results/truth.json'],
  ['../SECURITY.md#where', 'docs/size.md', 'https://git.example/n8n-tuned/blob/main/SECURITY.md#where'],
  ['../experiments/', 'docs/size.md', 'https://git.example/n8n-tuned/tree/main/experiments'],
  ['#here', 'docs/size.md', '#here'],
  ['https://n8n.io/a.md', 'docs/size.md', 'https://n8n.io/a.md'],
  ['mailto:a@example.org', 'docs/size.md', 'mailto:a@example.org'],
])('the link %s of %s becomes %s', (link, page, expected) =>
  expect(convertLink(link, page, repository)).toBe(expected),
);

test.each(['gone.md', '../gone.json', 'operate/gone.md#here'])('the dead link %s is refused', (link) => {
  expect(() => convertLink(link, 'docs/size.md', repository)).toThrow(/^docs\/size\.md links to .*gone/);
});
