import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { DEPLOYED_N8N, TESTED_N8N } from '../support/versions.js';

/** The package `n8n-capacity` as `make package` builds it, installed into an empty folder outside of a clone. */

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'n8n-capacity-package-'));
const home = join(folder, 'home');
const installed = join(home, 'node_modules/n8n-capacity');
const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' });
const capacity = (...args: string[]) =>
  spawnSync(join(home, 'node_modules/.bin/n8n-capacity'), args, { cwd: home, encoding: 'utf8', timeout: 120_000 });

let packed: { filename: string };

type Lock = { packages: Record<string, { version: string; optional?: true; integrity?: string; resolved?: string }> };
const readLock = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Lock;

/** Names and versions of the packages that a shrinkwrap installs, without those for other platforms. */
const lockedVersions = ({ packages }: Lock, isInstalled: (at: string) => boolean) =>
  Object.entries(packages)
    .filter(([at, { optional }]) => at !== '' && (!optional || isInstalled(at)))
    .map(([at, { version }]) => `${at} ${version}`)
    .sort();

/** Names and versions of the packages installed below a folder, read from their package.json. */
const installedVersions = (folder: string, { packages }: Lock) =>
  Object.keys(packages)
    .filter((at) => at !== '' && existsSync(join(folder, at, 'package.json')))
    .map(
      (at) =>
        `${at} ${(JSON.parse(readFileSync(join(folder, at, 'package.json'), 'utf8')) as { version: string }).version}`,
    )
    .sort();

/**
 * A registry on loopback that serves this package as npm's registry would, and redirects to npm's configured registry for
 * all others.
 */
async function startRegistry(file: string): Promise<Server> {
  const data = readFileSync(file);
  const manifest = JSON.parse(execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' })) as {
    version: string;
  };
  const other = npm(folder, 'config', 'get', 'registry').trim().replace(/\/$/, '');
  const server = createServer((request, response) => {
    if (request.url === '/tarball.tgz') return response.end(data);
    if (request.url !== '/n8n-capacity') return response.writeHead(302, { location: other + request.url }).end();
    const { port } = server.address() as AddressInfo;
    const integrity = `sha512-${createHash('sha512').update(data).digest('base64')}`;
    // npm's registry states for each package whether it has a shrinkwrap.
    const version = {
      ...manifest,
      _hasShrinkwrap: true,
      dist: { tarball: `http://127.0.0.1:${port}/tarball.tgz`, integrity },
    };
    return response.end(
      JSON.stringify({
        name: 'n8n-capacity',
        'dist-tags': { latest: manifest.version },
        versions: { [manifest.version]: version },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts/stage.mjs'), 'capacity', join(folder, 'staged')]);
  [packed] = JSON.parse(npm(folder, 'pack', './staged', '--json')) as [typeof packed];
  rmSync(join(folder, 'staged'), { recursive: true });
  mkdirSync(home);
  npm(home, 'install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, packed.filename));
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

test('the package holds the files that the tool reads, and nothing else', () => {
  expect(statSync(join(folder, packed.filename)).size).toBeLessThan(3_500_000);
  // The list that npm prints lacks the bundled packages.
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
      'npm-shrinkwrap.json',
      'capacity/bin/n8n-capacity.js',
      'capacity/dist/assets/echarts.min.js',
      'capacity/dist/bundle/LICENSES.txt',
      'capacity/dist/bundle/index.js',
      'capacity/dist/index.d.ts',
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
  expect(
    paths.filter((path) =>
      /^(capacity\/src|test|docs|experiments|nodes)\/|\.test\.|^capacity\/dist\/(?!assets\/|bundle\/).*\.js$/.test(
        path,
      ),
    ),
  ).toEqual([]);
});

test('the package installs without n8n', () => {
  for (const name of ['n8n', 'n8n-workflow', 'n8n-core'])
    expect(existsSync(join(home, 'node_modules', name))).toBe(false);
});

test('the shrinkwrap has a digest of each package, and no download address', () => {
  const { packages } = readLock(join(installed, 'npm-shrinkwrap.json'));
  const { '': own, 'node_modules/n8n-nodes-tuned': bundled, ...others } = packages;
  expect([own, bundled].map((entry) => entry?.integrity)).toEqual([undefined, undefined]);
  expect(Object.keys(others).length).toBeGreaterThan(20);
  for (const [at, { integrity, resolved }] of Object.entries(others))
    expect([at, /^sha512-/.test(integrity ?? ''), resolved]).toEqual([at, true, undefined]);
});

test('from a registry and from its folder, npm installs the versions of the shrinkwrap, and the SBOM names them', async () => {
  const lock = readLock(join(installed, 'npm-shrinkwrap.json'));
  const server = await startRegistry(join(folder, packed.filename));
  const prefix = join(folder, 'from-registry');
  mkdirSync(prefix);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await execa('npm', ['install', '--no-audit', '--no-fund', '--registry', url, 'n8n-capacity'], {
    cwd: prefix,
    stdin: 'ignore',
  });
  server.close();
  const own = join(folder, 'own');
  mkdirSync(own);
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', own, '--strip-components=1']);
  npm(own, 'install', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund');
  for (const at of [join(prefix, 'node_modules/n8n-capacity'), own])
    expect(installedVersions(at, lock)).toEqual(lockedVersions(lock, (path) => existsSync(join(at, path))));

  const sbom = execFileSync(process.execPath, [join(root, 'scripts/sbom.mjs'), own], { encoding: 'utf8' });
  const { packages } = JSON.parse(sbom) as { packages: { name: string; versionInfo: string }[] };
  const named = new Set(packages.map(({ name, versionInfo }) => `${name} ${versionInfo}`));
  const all = installedVersions(own, lock).map((text) => text.split('node_modules/').at(-1)!);
  expect(all.filter((text) => !named.has(text))).toEqual([]);
  for (const name of ['commander', 'echarts', 'zod']) expect(packages.map((each) => each.name)).toContain(name);
}, 300_000);

test('npm installs the package globally', () => {
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

test('--version prints the version of the package', () => {
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

test('validate prepares a configuration: it renders the chart and reads the pinned runtime, the workload and the free resources of this machine', () => {
  const { status, stdout } = capacity('validate', '--dry-run', '--json', '--profile', 'queue', '--target', '5/s');
  expect(status).toBe(0);
  const { versions, deployment } = JSON.parse(stdout) as {
    versions: { n8n: string; chart: string };
    deployment: object;
  };
  // Where npm lacks the chart's n8n, the nearest patch.
  expect([DEPLOYED_N8N, TESTED_N8N]).toContain(versions.n8n);
  expect(versions.chart).toMatch(/^\d+\./);
  expect(deployment).toMatchObject({ mode: 'queue' });
});

test('doctor --fix finds the manifests, and the same runtimes as a clone', () => {
  const { status, stderr } = capacity('doctor', '--fix');
  // It installs nothing, and says so of an n8n that npm lacks.
  expect(stderr).toMatch(/^(n8n \S+ is not on npm; installing \S+ instead\n)?$/);
  expect(status).toBe(0);
});

test('the installed package works without the clone, and takes at most 60 MB with its dependencies', () => {
  const size = execFileSync('du', ['-sm', join(home, 'node_modules')], { encoding: 'utf8' });
  expect(Number.parseInt(size)).toBeLessThanOrEqual(60);
  const { status, stdout } = spawnSync('grep', ['-rlF', root, installed, '--include=*.js'], { encoding: 'utf8' });
  // 1: nothing was found.
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
});
