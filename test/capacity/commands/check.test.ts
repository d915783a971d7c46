import { jest } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCommand } from '../../../capacity/src/commands/check.js';
import { UsageError } from '../../../capacity/src/core/errors.js';
import { hook, node, workflow } from '../plan/custom-workflow/workflows.js';

const folder = mkdtempSync(join(tmpdir(), 'check-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

let printed = '';
beforeEach(() => {
  printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((printed += String(text))));
  jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
});
afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = undefined;
});

const given = (name: string, content: unknown) => {
  writeFileSync(join(folder, name), JSON.stringify(content));
  return join(folder, name);
};
const order = () =>
  given('order.json', [{ ...workflow([hook(), node('set', { title: '=Order' })]), tags: [{ name: 'kept' }] }]);
const check = (...args: string[]) => checkCommand().exitOverride().parseAsync(args, { from: 'user' });

test('--json lists what each file does', async () => {
  await check('--json', order());
  const [checked] = JSON.parse(printed) as { workflow: string; findings: { rule: string }[] }[];
  expect(checked!.workflow).toBe('Order, new');
  expect(checked!.findings.map(({ rule }) => rule)).toEqual([
    'webhook-version-1',
    'expressions',
    'no-error-workflow',
    'no-timeout',
  ]);
  expect(process.exitCode).toBeUndefined();
});

test('--fix writes a copy beside the file that only its owner may read', async () => {
  const file = order();
  const before = readFileSync(file, 'utf8');
  await check('--fix', file);
  const copy = join(folder, 'order.fixed.json');
  const [fixed] = JSON.parse(readFileSync(copy, 'utf8')) as [{ nodes: { parameters: object }[]; tags: unknown }];
  expect(fixed.nodes[1]!.parameters).toEqual({ title: 'Order' });
  expect(fixed.tags).toEqual([{ name: 'kept' }]);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('where nothing can be fixed, nothing is written', async () => {
  await check('--fix', given('clean.json', workflow([node('noOp')])));
  expect(existsSync(join(folder, 'clean.fixed.json'))).toBe(false);
});

test.each([
  [['missing.json'], 'missing.json'],
  [[order(), '--max-cost', '200%'], '--max-cost'],
  [[order(), '-o', 'copy.json'], '--fix'],
  [[order(), order(), '--fix', '-o', 'copy.json'], '--output'],
  [[order(), '--fix', '-o', order()], '--output'],
])('%j is refused before anything is printed', async (args, named) => {
  const error = await check(...args).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(UsageError);
  expect((error as Error).message).toContain(named);
  expect(printed).toBe('');
});
