import { spawnSync } from 'node:child_process';
import {
  mkdtempSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
  existsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chart } from './render.js';

/** Keeps its workflows in a file, and notes what it was called with. */
const FAKE_N8N = `#!/usr/bin/env node
const { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } = require('node:fs');
const database = process.env.N8N_USER_FOLDER + '/workflows.json';
const [command, input = ''] = process.argv.slice(2);
const file = input.replace('--input=', '');
const call = { command, token: process.env.LOAD_TARGET_TOKEN, args: process.argv.slice(2).join(' ') };
if (file) Object.assign(call, { mode: statSync(file).mode & 0o777, json: JSON.parse(readFileSync(file, 'utf8')) });
appendFileSync(process.env.N8N_USER_FOLDER + '/calls', JSON.stringify(call) + '\\n');
if (command === 'list:workflow') {
  if (existsSync(database)) for (const { id, name } of JSON.parse(readFileSync(database, 'utf8'))) console.log(id + '|' + name);
} else {
  if (command === 'import:workflow') writeFileSync(database, JSON.stringify(call.json));
  if (!process.env.FAIL) console.log('Successfully imported 1 thing.');
}
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-prepare-'));
  for (const name of ['source', 'target', 'home', 'bin']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'bin/n8n'), FAKE_N8N, { mode: 0o755 });
  const credential = { id: '2', name: 'n8n-tuned load target', type: 'httpHeaderAuth', header: 'x-token' };
  const source = {
    'n8n-nodes-tuned.json': { 'package.json': '{}', 'dist/nodes/A.js': 'a' },
    'load-targets.json': { prefix: 'n8n-tuned: ', credential, ids: ['1'] },
    'ack.json': { id: '1', name: 'n8n-tuned: ack', nodes: [] },
  };
  for (const [name, json] of Object.entries(source)) writeFileSync(join(folder, 'source', name), JSON.stringify(json));
});
afterEach(() => rmSync(folder, { recursive: true }));

const TOKEN = 'not-to-be-seen';
function prepare(more: Record<string, string> = { IMPORT: 'ack', LOAD_TARGET_TOKEN: TOKEN }) {
  const env = {
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
    SOURCE: join(folder, 'source'),
    TARGET: join(folder, 'target'),
    N8N_USER_FOLDER: join(folder, 'home'),
    ...more,
  };
  const script = join(chart, 'files/load-targets/prepare.js');
  const { status, stdout, stderr } = spawnSync('node', [script], { env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}
const calls = (): any[] =>
  existsSync(join(folder, 'home/calls'))
    ? readFileSync(join(folder, 'home/calls'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
const database = (workflows: object[]) => writeFileSync(join(folder, 'home/workflows.json'), JSON.stringify(workflows));

it('unpacks the package and leaves a link to it in n8n’s folder', () => {
  for (const _again of [1, 2]) expect(prepare({})).toMatchObject({ status: 0 });
  expect(readlinkSync(join(folder, 'home/.n8n/nodes/node_modules/n8n-nodes-tuned'))).toBe(join(folder, 'target'));
  expect(readFileSync(join(folder, 'target/dist/nodes/A.js'), 'utf8')).toBe('a');
  expect(calls()).toEqual([]);
});

it('replaces a package of that name that was copied there', () => {
  const copied = join(folder, 'home/.n8n/nodes/node_modules/n8n-nodes-tuned');
  mkdirSync(join(copied, 'dist'), { recursive: true });
  expect(prepare({}).status).toBe(0);
  expect(statSync(join(copied, 'package.json')).isFile()).toBe(true);
});

it('imports credential and workflows, the token in a file that nobody else reads and that does not stay', () => {
  const { status, output } = prepare();
  expect(status).toBe(0);
  expect(output).not.toContain(TOKEN);
  const [list, credentials, workflows] = calls();
  expect(list.command).toBe('list:workflow');
  expect(credentials).toMatchObject({ command: 'import:credentials', mode: 0o600 });
  expect(credentials.json).toEqual([
    {
      id: '2',
      name: 'n8n-tuned load target',
      type: 'httpHeaderAuth',
      data: { name: 'x-token', value: TOKEN },
      nodesAccess: [],
    },
  ]);
  expect(workflows.json[0].name).toMatch(/^n8n-tuned: ack \([0-9a-f]{8}\)$/);
  for (const { args, token } of calls()) {
    expect(args).not.toContain(TOKEN);
    expect(token).toBeUndefined();
  }
  expect(existsSync(join(folder, 'target/import.json'))).toBe(false);
});

it('imports only changed workflows, or a changed token, again', () => {
  prepare();
  expect(prepare().output).toContain('are there already');
  expect(calls()).toHaveLength(4);
  prepare({ IMPORT: 'ack', LOAD_TARGET_TOKEN: 'another' });
  expect(calls()).toHaveLength(7);
});

it('does not overwrite a workflow that only has the same id', () => {
  database([{ id: '1', name: 'Invoices' }]);
  const { status, output } = prepare();
  expect(status).toBe(1);
  expect(output).toContain('workflow 1 is "Invoices", which is not a load target');
  expect(calls()).toHaveLength(1);
});

it('fails when n8n imported nothing but exited with 0', () => {
  const { status, output } = prepare({ IMPORT: 'ack', LOAD_TARGET_TOKEN: TOKEN, FAIL: 'yes' });
  expect(status).toBe(1);
  expect(output).toContain('n8n import:credentials failed');
  expect(existsSync(join(folder, 'target/import.json'))).toBe(false);
});
