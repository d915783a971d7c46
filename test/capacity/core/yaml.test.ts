import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../capacity/src/core/errors.js';
import { parse } from 'yaml';
import { toHelmYaml, readYamlFile } from '../../../capacity/src/core/yaml.js';

const folder = mkdtempSync(join(tmpdir(), 'yaml-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'values.yaml');
const read = (text: string) => {
  writeFileSync(file, text);
  return readYamlFile(file, '-f values.yaml', 'give a file');
};
const problemsOf = (text: string): readonly string[] => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof UsageError) return error.problems;
    throw error;
  }
  throw new Error('nothing was refused');
};

test('an error has the line, the column and the text of the line', () => {
  const problems = problemsOf('worker:\n  replicas: 2\n\tconcurrency: 5\n');
  expect(problems).toHaveLength(1);
  for (const part of ['-f values.yaml: ', 'line 3, column 1', '"concurrency: 5"']) expect(problems[0]).toContain(part);
});

test('each line with an error is reported once', () => {
  const problems = problemsOf('a: 1\na: 2\nb: *none\nb: "\\q"\n');
  const lines = problems.map((problem) => /line (\d+), column \d+/.exec(problem)?.[1]);
  expect(lines).toEqual(['2', '4']);
  for (const problem of problems) expect(problem).not.toContain('\n');
});

test('an alias without its anchor is refused', () => expect(problemsOf('b: *none\n')).toHaveLength(1));

test('two documents are refused', () => expect(problemsOf('a: 1\n---\nb: 1\n')[0]).toContain('2 YAML documents'));

test.each([
  ['', undefined],
  ['a: &x {b: 1}\nc: {<<: *x}\n', { a: { b: 1 }, c: { b: 1 } }],
])('%j', (text, content) => expect(read(text) ?? undefined).toEqual(content));

test('toHelmYaml quotes a text that YAML 1.1 would read as another type', () => {
  const texts = ['off', 'yes', 'no', 'on', '1_000', '0b11', '12:30:45', '010', 'y', 'null', '1e3'];
  const content = { texts, numbers: [1000, 0.5], flags: [true, false] };
  const text = toHelmYaml(content);
  for (const each of texts) expect(text).toMatch(new RegExp(`- ["']${each}["']`));
  expect(parse(text, { version: '1.1' })).toEqual(content);
  expect(parse(text)).toEqual(content);
});
