import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const section = (title: string) => page.split(/^## /m).find((part) => part.startsWith(title))!;
const foldersIn = (text: string) => [...text.matchAll(/^\| `(\w+)\/`/gm)].map(([, name]) => name!);

const foldersOf = (path: string) =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
  forbidden: { name: string }[];
};
const layers = forbidden.flatMap(({ name }) => /^(\w+)-imports-nothing-below-it$/.exec(name)?.[1] ?? []);

test('names every folder of capacity/src, in the order that lint enforces', () => {
  const documented = foldersIn(section('The layers'));
  expect(documented).toEqual([...layers, 'features']);
  expect([...documented].sort()).toEqual(foldersOf('capacity/src'));
});

test('names every room of capacity/src/features', () => {
  expect(foldersIn(section('The rooms')).sort()).toEqual(foldersOf('capacity/src/features'));
});

test('every function that it names exists in the named file', () => {
  const named = [...page.matchAll(/`(\w+)`\s+\(`((?:\w+\/)+[\w-]+\.ts)`\)/g)].map(([, name, file]) => [name!, file!]);
  expect(named.length).toBeGreaterThan(5);
  for (const [name, file] of named) {
    const source = readFileSync(join(root, 'capacity/src', file!), 'utf8');
    expect([file, name, new RegExp(`export (async )?(function|const|class) ${name}\\b`).test(source)]).toEqual([
      file,
      name,
      true,
    ]);
  }
});
