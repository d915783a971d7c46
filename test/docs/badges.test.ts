import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { badges } from '../../bench/badges/badges.js';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'docs/badges');
const rendered = badges(root);

test("the README's badges are those of the records", () => {
  const files = readdirSync(folder).map((name) => [
    name.replace(/\.svg$/, ''),
    readFileSync(join(folder, name), 'utf8'),
  ]);
  expect(Object.fromEntries(files)).toEqual(rendered);
});

test('the README shows each, with its text for those who do not see it', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  for (const [name, svg] of Object.entries(rendered)) {
    const text = /aria-label="([^"]+)"/.exec(svg)![1]!;
    expect(readme).toContain(`[![${text}](docs/badges/${name}.svg)]`);
  }
});
