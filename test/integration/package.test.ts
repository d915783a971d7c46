import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The package as `npm pack` builds it and `npm install` installs it, loaded by the n8n-core of each runtime. */

const root = join(import.meta.dirname, '../..');
const cache = process.env.N8N_TUNED_CACHE ?? join(homedir(), '.cache', 'n8n-tuned');
const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-package-'));
const installed = join(folder, 'nodes/node_modules/n8n-nodes-tuned');
const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' });

let packed: { filename: string; files: Array<{ path: string }> };

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts/stage.mjs'), 'node', join(folder, 'staged')]);
  [packed] = JSON.parse(npm(folder, 'pack', './staged', '--json'));
  mkdirSync(join(folder, 'nodes'));
  // Like n8n's own installer: without peer dependencies and without scripts.
  const flags = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
  npm(join(folder, 'nodes'), 'install', ...flags, join(folder, packed.filename));
  cpSync(join(root, 'test/nodes/in-core/load.cjs'), join(folder, 'load.cjs'));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

test('the package is small, and holds only the nodes, the credential and the workflows', () => {
  expect(statSync(join(folder, packed.filename)).size).toBeLessThan(200_000);
  const folders = packed.files.map(({ path }) => path.replace(/[^/]*$/, ''));
  expect([...new Set(folders)].sort()).toEqual([
    '',
    'dist/credentials/',
    'dist/nodes/BullQueue/',
    'dist/nodes/BullQueue/operations/',
    'dist/nodes/BullQueue/queue/',
    'dist/nodes/LoadTarget/',
    'dist/nodes/LoadTarget/ceilings/',
    'dist/nodes/LoadTarget/operations/',
    'dist/nodes/shared/',
    'workflows/',
    'workflows/before-1.113/',
    'workflows/operate/',
  ]);
});

test('the package has its own README, and no type declarations', () => {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  for (const heading of ['Installation', 'Operations', 'Credentials', 'Compatibility', 'Usage'])
    expect(readme).toContain(`\n## ${heading}\n`);
  expect(packed.files.filter(({ path }) => path.endsWith('.d.ts'))).toEqual([]);
});

test('the package depends on Bull and ioredis, not on n8n', () => {
  const modules = join(folder, 'nodes/node_modules');
  expect(existsSync(join(modules, 'bull'))).toBe(true);
  expect(existsSync(join(modules, 'ioredis'))).toBe(true);
  expect(existsSync(join(modules, 'n8n-workflow'))).toBe(false);
});

describe.each(['n8n-2', 'n8n-1', 'n8n-0'])('in the core of %s', (runtime) => {
  let loaded: { nodes: any[]; credentials: any[]; said: string[] };
  let stderr: string;

  beforeAll(() => {
    const modules = join(cache, 'runtimes', runtime, 'node_modules');
    const node = join(modules, 'node/bin/node');
    if (!existsSync(node)) throw new Error(`${runtime} is not installed in ${cache}: run "make setup" first`);
    const env = { NODE_PATH: modules, N8N_USER_FOLDER: folder };
    const run = spawnSync(node, [join(folder, 'load.cjs'), installed], { env, encoding: 'utf8', timeout: 60_000 });
    const json = /^LOADED (.*)$/m.exec(run.stdout)?.[1];
    if (!json) throw new Error(`${runtime} did not load the package:\n${run.stdout}${run.stderr}`);
    loaded = JSON.parse(json);
    stderr = run.stderr;
  }, 90_000);

  test('the nodes and the credential load without a warning', () => {
    const names = loaded.nodes.map(({ name }) => name.replace('n8n-nodes-tuned.', ''));
    expect(names.sort()).toEqual(['bullQueue', 'bullQueueTrigger', 'loadTarget']);
    expect(loaded.credentials.map(({ name }) => name)).toEqual(['bullQueueApi']);
    expect(stderr).toBe('');
    const complaints = loaded.said.filter((line) => !line.startsWith('Loaded all credentials and nodes'));
    expect(complaints).toEqual([]);
  });

  test('n8n finds their icons and their codex: search words and documentation', () => {
    for (const { iconUrl, codex } of loaded.nodes) {
      expect(existsSync(join(installed, iconUrl.replace('icons/n8n-nodes-tuned/', '')))).toBe(true);
      expect(codex).toMatchObject({
        categories: ['Development'],
        alias: expect.arrayContaining([expect.any(String)]),
        resources: { primaryDocumentation: [{ url: expect.stringMatching(/^https:.*docs\/nodes\.md/) }] },
      });
    }
    for (const { iconUrl } of loaded.credentials) {
      expect(existsSync(join(installed, iconUrl.replace('icons/n8n-nodes-tuned/', '')))).toBe(true);
    }
  });

  test('Bull Queue can be used as a tool and Load Target cannot; the credential is tested by the node', () => {
    const tools = loaded.nodes.filter(({ usableAsTool }) => usableAsTool).map(({ name }) => name);
    expect(tools).toEqual([expect.stringMatching(/bullQueue$/)]);
    const queue = loaded.nodes.find(({ name }) => name.endsWith('bullQueue'));
    expect(queue.credentials).toEqual([expect.objectContaining({ name: 'bullQueueApi', required: true })]);
    expect(queue.credentials[0].testedBy).toEqual(expect.any(String));
  });
});
