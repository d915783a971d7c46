import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { badges } from '../../bench/badges/badges.js';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'docs/badges');
const rendered = badges(root);
const readme = readFileSync(join(root, 'README.md'), 'utf8');

test('the badges of the README are rendered from the records', () => {
  const files = readdirSync(folder).map((name) => [
    name.replace(/\.svg$/, ''),
    readFileSync(join(folder, name), 'utf8'),
  ]);
  expect(Object.fromEntries(files)).toEqual(rendered);
});

test.each(Object.keys(rendered))('the README shows the badge %s; its text has no other figure', (name) => {
  expect(readme).toContain(`](docs/badges/${name}.svg)`);
  const text = readme.split(`](docs/badges/${name}.svg)`)[0]!.split('![').at(-1)!;
  const label = /aria-label="([^"]+)"/.exec(rendered[name]!)![1]!;
  if (/\b\d/.test(text)) expect(text).toBe(label);
});
