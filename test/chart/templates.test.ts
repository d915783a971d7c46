import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart } from './render.js';

const folder = join(chart, 'templates');
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => ({ name, path: join(parentPath, name).slice(folder.length + 1) }))
  .map((file) => ({ ...file, text: readFileSync(join(folder, file.path), 'utf8') }));
const all = files.map(({ text }) => text).join('\n');

it('are in folders, except the notes', () => {
  expect(files.map(({ path }) => path).filter((path) => !path.includes('/'))).toEqual(['NOTES.txt']);
});

it('have lines of at most 160 characters', () => {
  const long = files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (line.length > 160 ? [`${path}:${index + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

it('pass arguments by name', () => {
  expect(files.filter(({ text }) => /include "[^"]+" \(list /.test(text)).map(({ path }) => path)).toEqual([]);
});

it('define nothing twice, and nothing that is not used', () => {
  const defined = [...all.matchAll(/\{\{-? define "([^"]+)"/g)].map(([, name]) => name!);
  expect(defined).toEqual([...new Set(defined)]);
  // n8n-tuned.checks composes the names of its checks.
  const subjects = /\$subjects := list([^}]+)\}\}/.exec(all)![1]!.match(/\w+/g)!;
  const used = new Set([
    ...[...all.matchAll(/include "([^"]+)"/g)].map(([, name]) => name),
    ...(readFileSync(join(chart, 'files/no-effect.yaml'), 'utf8').match(/n8n-tuned\.\w+/g) ?? []),
    ...subjects.map((subject) => `n8n-tuned.check.${subject}`),
  ]);
  expect(defined.filter((name) => !used.has(name))).toEqual([]);
});

it('run every check', () => {
  const subjects = files.filter(({ path }) => path.startsWith('checks/_')).length - 1;
  const run = /\$subjects := list([^}]+)\}\}/.exec(all)![1]!.match(/"\w+"/g)!;
  expect(run).toHaveLength(subjects);
});
