import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The package `n8n-capacity` as `make package` makes it, installed into an empty folder, without a clone around it. */

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'n8n-capacity-package-'));
const home = join(folder, 'home');
const installed = join(home, 'node_modules/n8n-capacity');
const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' });
const capacity = (...args: string[]) =>
  spawnSync(join(home, 'node_modules/.bin/n8n-capacity'), args, { cwd: home, encoding: 'utf8', timeout: 120_000 });

let packed: { filename: string };

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts/stage.mjs'), 'capacity', join(folder, 'staged')]);
  [packed] = JSON.parse(npm(folder, 'pack', './staged', '--json')) as [typeof packed];
  rmSync(join(folder, 'staged'), { recursive: true });
  mkdirSync(home);
  npm(home, 'install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, packed.filename));
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

test('carries what the tool reads, and nothing else', () => {
  expect(statSync(join(folder, packed.filename)).size).toBeLessThan(4_000_000);
  // The list that npm prints lacks what is bundled.
  const listed = execFileSync('tar', ['-tzf', join(folder, packed.filename)], { encoding: 'utf8' });
  const paths = listed
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''));
  expect(paths).toEqual(
    expect.arrayContaining([
      'CHANGELOG.md',
      'README.md',
      'bench/results/check.json',
      'capacity/bin/n8n-capacity.js',
      'capacity/pm2/launch.cjs',
      'capacity/tune/settings.yaml',
      'charts/n8n-tuned/Chart.yaml',
      'charts/n8n-tuned/.helmignore',
      'charts/n8n-tuned/files/loadtests/webhook.js',
      'charts/n8n-tuned/profiles/queue.yaml',
      'charts/n8n-tuned/files/n8n-nodes-tuned.json',
      'charts/n8n-tuned/files/workflows/webhook-ack.json',
      'loadtests/workloads.json',
      'node_modules/n8n-nodes-tuned/dist/nodes/LoadTarget/LoadTarget.node.js',
      'runtimes/k6/go.sum',
      'runtimes/n8n-2/package-lock.json',
      'runtimes/postgres/package-lock.json',
      'workflows/webhook-ack.json',
    ]),
  );
  expect(paths.filter((path) => /^(capacity\/src|test|docs|experiments|nodes)\/|\.test\./.test(path))).toEqual([]);
});

test('installs without n8n', () => {
  for (const name of ['n8n', 'n8n-workflow', 'n8n-core'])
    expect(existsSync(join(home, 'node_modules', name))).toBe(false);
});

test('npm installs it for all folders, too', () => {
  const prefix = join(folder, 'global');
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--prefix', prefix];
  npm(folder, 'install', '--global', ...options, join(folder, packed.filename));
  expect(execFileSync(join(prefix, 'bin/n8n-capacity'), ['--version'], { encoding: 'utf8' })).toMatch(/^\d+\./);
}, 300_000);

test.each([[[]], [['validate']], [['setup']], [['doctor']]])('%j --help', (command: string[]) => {
  const { status, stdout, stderr } = capacity(...command, '--help');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('Usage: n8n-capacity');
});

test('--version is that of the package', () => {
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string };
  expect(capacity('--version').stdout.trim()).toBe(version);
});

test('check reads the chart, the record of gains and the workflow', () => {
  const order = {
    name: 'Order',
    nodes: [
      {
        id: '1',
        name: 'Webhook',
        type: 'n8n-nodes-base.webhook',
        typeVersion: 1,
        position: [0, 0],
        parameters: { path: 'order' },
      },
    ],
    connections: {},
  };
  writeFileSync(join(home, 'order.json'), JSON.stringify(order));
  const { status, stdout, stderr } = capacity('check', '--json', 'order.json');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [{ findings }] = JSON.parse(stdout) as [{ findings: { rule: string; measured?: object }[] }];
  expect(findings.find(({ rule }) => rule === 'webhook-version-1')?.measured).toBeDefined();
});

test('a configuration is prepared: the chart is rendered, the pinned runtime, the workload and the room on this machine are read', () => {
  const { status, stdout } = capacity('validate', '--dry-run', '--json', '--profile', 'queue', '--target', '5/s');
  expect(status).toBe(0);
  const pinned = JSON.parse(readFileSync(join(root, 'runtimes/n8n-2/package.json'), 'utf8')) as {
    dependencies: { n8n: string };
  };
  expect(JSON.parse(stdout)).toMatchObject({
    versions: { n8n: pinned.dependencies.n8n, chart: expect.any(String) },
    deployment: { mode: 'queue' },
  });
});

test('setup finds the manifests, and the same runtimes as a clone', () => {
  const { status, stderr } = capacity('setup');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('nothing that was installed leads to the clone', async () => {
  const { chartFolder, nodePackage, repository } = (await import(join(installed, 'capacity/dist/core/paths.js'))) as {
    chartFolder: string;
    repository: string;
    nodePackage: () => string;
  };
  expect(repository).toBe(installed);
  expect(existsSync(join(chartFolder, 'Chart.yaml'))).toBe(true);
  expect(nodePackage()).toBe(join(installed, 'node_modules/n8n-nodes-tuned'));
});
