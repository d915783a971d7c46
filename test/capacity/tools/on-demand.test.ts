import { jest } from '@jest/globals';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { terminalProgress } from '../../../capacity/src/core/progress.js';

/** A temporary cache, and stubs in the place of the real programs. */
const scratch = mkdtempSync(join(tmpdir(), 'on-demand-'));
const [cache, programs, registry] = ['cache', 'bin', 'registry.json'].map((name) => join(scratch, name)) as [
  string,
  string,
  string,
];
const calls = join(scratch, 'calls.log');
mkdirSync(programs);
const program = (name: string, script: string) => {
  writeFileSync(join(programs, name), script);
  chmodSync(join(programs, name), 0o755);
};
for (const [name, version] of Object.entries({
  'g++': '12.2.0',
  make: '4.3',
  python3: '3.11.2',
  k6: 'v2.2.0',
  helm: 'v4.3.1',
}))
  program(name, `#!/bin/sh\necho "${name} ${version}"\n`);

/** A stub of npm. The registry's file lists the published packages. An install fails for any other, or creates the folders. */
program(
  'npm',
  `#!${process.execPath}
const { readFileSync, mkdirSync, writeFileSync, appendFileSync } = require('node:fs');
const registry = JSON.parse(readFileSync(${JSON.stringify(registry)}, 'utf8'));
const [command, what, field] = process.argv.slice(2);
appendFileSync(${JSON.stringify(calls)}, [command, what, field].join(' ') + '\\n');
if (command === 'view') {
  const at = what.lastIndexOf('@');
  const [name, version] = at > 0 ? [what.slice(0, at), what.slice(at + 1)] : [what];
  const versions = registry[name] ?? {};
  const value = version === undefined ? Object.keys(versions) : versions[version]?.[field];
  if (version !== undefined && versions[version] === undefined) { console.error('npm error code E404'); process.exit(1); }
  if (value !== undefined) console.log(JSON.stringify(value));
  process.exit(0);
}
const { dependencies, overrides } = JSON.parse(readFileSync('package.json', 'utf8'));
const add = (name, version, files = {}) => {
  mkdirSync('node_modules/' + name, { recursive: true });
  writeFileSync('node_modules/' + name + '/package.json', JSON.stringify({ name, version }));
  for (const [file, text] of Object.entries(files)) writeFileSync('node_modules/' + name + '/' + file, text);
};
for (const [name, range] of Object.entries(registry.n8n[dependencies.n8n].dependencies)) {
  const version = overrides[name] ?? range.replace('^', '');
  if (!registry[name]?.[version]) {
    console.error('npm error notarget No matching version found for ' + name + '@' + range + '.');
    process.exit(1);
  }
  add(name, version);
}
add('n8n', dependencies.n8n);
add('node', dependencies.node + '.0.0', { 'installArchSpecificPackage.js': '' });
`,
);
const published = (...versions: string[]) => Object.fromEntries(versions.map((version) => [version, {}]));
const publish = (n8n: object) =>
  writeFileSync(
    registry,
    JSON.stringify({
      n8n,
      '@n8n/db': published('1.39.8', '1.39.9'),
      'n8n-core': published('2.39.10'),
      'encoding-japanese': published('2.4.0'),
    }),
  );
const N8N = {
  '2.38.1': {},
  '2.39.10': {
    'engines.node': '>=24',
    dependencies: { '@n8n/db': '1.39.10', 'n8n-core': '2.39.10', 'encoding-japanese': '^2.4.1' },
  },
};

const before = { ...process.env };
process.env.N8N_TUNED_CACHE = cache;
process.env.PATH = `${programs}:${before.PATH}`;
const {
  ensureN8n,
  findOnDemandRuntimes: installedOnDemand,
  resolveN8n,
} = await import('../../../capacity/src/tools/runtimes.js');
const { commandNamed } = await import('../../support/program.js');

let printed = '';
beforeEach(() => {
  publish(N8N);
  rmSync(cache, { recursive: true, force: true });
  rmSync(calls, { force: true });
  printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((printed += String(text))));
  jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => {
  process.env = before;
  rmSync(scratch, { recursive: true });
});

const quiet = terminalProgress(true);
const runtimes = () => (existsSync(join(cache, 'runtimes')) ? readdirSync(join(cache, 'runtimes')).sort() : []);
const called = (command: string) =>
  readFileSync(calls, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(command)).length;

test('a version is installed with the Node that it requires, and with replacements of missing dependencies', async () => {
  const { node, n8n, replaced } = await ensureN8n('2.39.10', quiet);
  expect(n8n).toBe(join(cache, 'runtimes', 'n8n-2.39.10', 'node_modules', 'n8n', 'bin', 'n8n'));
  const wanted = JSON.parse(readFileSync(join(cache, 'runtimes', 'n8n-2.39.10', 'package.json'), 'utf8')) as object;
  expect(wanted).toMatchObject({ dependencies: { n8n: '2.39.10', node: '24' } });
  expect(node).toContain('n8n-2.39.10');
  // Overrides of packages that this n8n does not have do not count as replacements.
  expect(replaced).toEqual({ '@n8n/db': '1.39.9', 'encoding-japanese': '2.4.0' });
  // Own packages are replaced before the first try; each other missing package takes another try.
  expect(called('install')).toBe(2);
});

test('an installed version is not installed again, and reports the same replacements', async () => {
  const first = await ensureN8n('2.39.10', quiet);
  const installs = called('install');
  expect(await ensureN8n('2.39.10', quiet)).toEqual(first);
  expect(called('install')).toBe(installs);
});

test('an unpublished version is replaced by the nearest patch, and the user is told', async () => {
  expect(await resolveN8n('2.39.11')).toEqual({
    asked: '2.39.11',
    version: '2.39.10',
    why: 'n8n 2.39.11 is not on npm; this run measures 2.39.10',
  });
  expect(await ensureN8n('2.39.11', quiet)).toMatchObject({ version: '2.39.10' });
  expect(runtimes()).toEqual(['n8n-2.39.10']);
});

test('without another patch of the minor version, the nearest versions are named and nothing is installed', async () => {
  await expect(ensureN8n('2.37.4', quiet)).rejects.toThrow(/2\.37\.4 is not on npm.*2\.37 is.*2\.38\.1, 2\.39\.10/);
  expect(runtimes()).toEqual([]);
});

test('a failed install leaves no files and names the missing package', async () => {
  publish({ ...N8N, '2.40.0': { 'engines.node': '>=24', dependencies: { unheard: '^1.0.0' } } });
  await expect(ensureN8n('2.40.0', quiet)).rejects.toThrow(/No matching version found for unheard@\^1\.0\.0/);
  expect(runtimes()).toEqual([]);
});

test('setup --n8n installs that version, and no pinned one', async () => {
  await (await commandNamed('doctor')).parseAsync(['--fix', '--n8n', '2.39.10'], { from: 'user' });
  expect(runtimes()).toEqual(['n8n-2.39.10']);
});

test('clean --runtimes removes only the versions that are not pinned', async () => {
  await ensureN8n('2.39.10', quiet);
  for (const name of ['n8n-2', 'postgres']) mkdirSync(join(cache, 'runtimes', name));
  expect(await installedOnDemand()).toEqual([join(cache, 'runtimes', 'n8n-2.39.10')]);
  const clean = async (...args: string[]) =>
    (await commandNamed('clean')).parseAsync(['--runtimes', ...args], { from: 'user' });
  await expect(clean()).rejects.toThrow(/--yes/);
  expect(runtimes()).toEqual(['n8n-2', 'n8n-2.39.10', 'postgres']);
  await clean('--yes');
  expect(runtimes()).toEqual(['n8n-2', 'postgres']);
  expect(printed).toContain('n8n-2.39.10');
  await clean('--yes');
  expect(printed).toContain('no version of n8n is installed beside');
});
