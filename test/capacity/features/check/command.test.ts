import { jest } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandNamed } from '../../../support/program.js';
import { UsageError } from '../../../../capacity/src/core/errors.js';
import { hook, node, workflow } from '../../plan/custom-workflow/workflows.js';

const folder = mkdtempSync(join(tmpdir(), 'check-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

let printed = '';
beforeEach(() => {
  process.exitCode = undefined;
  printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((printed += String(text))));
  jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
});
afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = undefined;
});

const writeWorkflow = (name: string, content: unknown) => {
  writeFileSync(join(folder, name), JSON.stringify(content));
  return join(folder, name);
};
const order = () =>
  writeWorkflow('order.json', [
    {
      ...workflow([hook(), node('set', { title: '=Order' })]),
      connections: { Webhook: { main: [[{ node: 'set', type: 'main', index: 0 }]] } },
      tags: [{ name: 'kept' }],
    },
  ]);
const check = (...args: string[]) =>
  commandNamed('check').then((command) => command.exitOverride().parseAsync(args, { from: 'user' }));

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

const MANIFESTS = (tag: string) => `
kind: Deployment
metadata: { name: n8n }
spec: { template: { spec: { containers: [{ name: n8n, image: "n8nio/n8n:${tag}", args: [start] }] } } }
`;
const manifests = (tag: string) => {
  writeFileSync(join(folder, 'n8n.yaml'), MANIFESTS(tag));
  return join(folder, 'n8n.yaml');
};
const printedFindings = () =>
  (JSON.parse(printed) as { findings: { rule: string; measured?: object; unlike?: string[] }[] }[])[0]!.findings;

test('an n8n in manifests that takes no isolates has no costs of isolates', async () => {
  await check('--json', order(), '--manifests', manifests('2.34.0'));
  expect(printedFindings().map(({ rule }) => rule)).toEqual(['no-error-workflow', 'no-timeout']);
});

test('a deployment unlike the measured one gets no cost, and --max-cost exits with 0', async () => {
  await check('--json', order(), '--manifests', manifests('2.41.1'), '--max-cost', '1%');
  const [version1] = printedFindings();
  const unlike = ['an isolate for each execution', 'isolates that cost more'];
  expect(version1).toMatchObject({ rule: 'webhook-version-1', unlike });
  expect(version1!.measured).toBeUndefined();
  expect(process.exitCode).toBeUndefined();
});

const LAZY = ['--env', 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true', '--max-cost', '1%'];

test('--env replaces a variable of the manifests', async () => {
  await check('--json', order(), '--manifests', manifests('2.41.1'), ...LAZY);
  expect(printedFindings()[0]).toMatchObject({ rule: 'webhook-version-1', unlike: ['isolates that cost more'] });
  expect(process.exitCode).toBeUndefined();
});

test('a deployment with the measured isolates gets the cost', async () => {
  await check('--json', order(), '--n8n', '2.41.1', '--max-cost', '1%');
  expect(printedFindings()[0]).toMatchObject({
    rule: 'webhook-version-1',
    measured: { share: expect.any(Number) as number },
  });
  expect(process.exitCode).toBe(1);
});

test('names are printed without control characters', async () => {
  const hostile = { ...workflow([hook(), node('set\u001b[2J', { title: '=Order' })]), name: 'Order\u001b]0;x\u0007' };
  await check(writeWorkflow('hostile.json', [hostile]));
  expect(printed).toContain(String.raw`Order\u{1b}]0;x\u{7}`);
  expect(printed).not.toMatch(/\u001b\[2J|\u0007/);
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

test('--fix writes nothing if nothing can be fixed', async () => {
  await check('--fix', writeWorkflow('clean.json', workflow([node('noOp')])));
  expect(existsSync(join(folder, 'clean.fixed.json'))).toBe(false);
});

test.each([
  [['missing.json'], 'missing.json'],
  [[order(), '--max-cost', '200%'], '--max-cost'],
  [[order(), '--n8n', 'newest'], '--n8n newest'],
  [[order(), '--manifests', 'missing.yaml'], '--manifests missing.yaml'],
  [[order(), '--manifests', manifests('2.41.1'), '--set', 'a=b'], '--manifests'],
  [[order(), '--env', 'N8N_LOG_LEVEL=warn'], '--env'],
  [[order(), '-f', 'missing-values.yaml'], '-f missing-values.yaml'],
  [[order(), '-o', 'copy.json'], '--fix'],
  [[order(), order(), '--fix', '-o', 'copy.json'], '--output'],
  [[order(), '--fix', '-o', order()], '--output'],
])('%j is refused before anything is printed', async (args, named) => {
  const error = await check(...args).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(UsageError);
  expect((error as Error).message).toContain(named);
  expect(printed).toBe('');
});

/** A file that is no JSON. */
const broken = () => {
  writeFileSync(join(folder, 'bad.json'), '{');
  return join(folder, 'bad.json');
};

describe('several files', () => {
  const files = () => [order(), broken(), writeWorkflow('clean.json', workflow([node('noOp')]))];

  test('get a row each, and each finding is explained once; a file that cannot be read is a row', async () => {
    await check(...files(), writeWorkflow('again.json', JSON.parse(readFileSync(order(), 'utf8'))));
    expect(printed.match(/^ +(order|bad|clean|again)\.json/gm)).toHaveLength(4);
    expect(printed).toMatch(/bad\.json +– +is not valid JSON/);
    expect(printed.match(/\(expressions\): costs/g)).toHaveLength(1);
    expect(printed).toContain('In 2 of 4 files: order.json, again.json');
    expect(process.exitCode).toBe(3);
  });

  test('are rows of the JSON, with the error of the one that cannot be read', async () => {
    await check('--json', ...files());
    const rows = JSON.parse(printed) as { file: string; findings?: object[]; error?: string }[];
    expect(rows.map(({ findings, error }) => [findings !== undefined, error !== undefined])).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
  });

  test('that are all read end with 0', async () => {
    await check(order(), writeWorkflow('clean.json', workflow([node('noOp')])));
    expect(process.exitCode).toBeUndefined();
  });
});
