import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bin = join(import.meta.dirname, '../../../capacity/bin/n8n-capacity.js');
const folder = mkdtempSync(join(tmpdir(), 'dry-run-'));
afterAll(() => rmSync(folder, { recursive: true }));

const dryRun = (...args: string[]) =>
  spawnSync(process.execPath, [bin, 'validate', '--dry-run', ...args], { cwd: folder, encoding: 'utf8' });

test('it shows the instances and the load, and leaves nothing', () => {
  const { status, stdout } = dryRun('--json', '--profile', 'queue', '--target', '5/s', '--workload', 'webhook-ack');
  expect(status).toBe(0);
  const dry = JSON.parse(stdout) as {
    deployment: { mode: string; instances: { component: string; limits: { memoryBytes?: number } }[] };
    memoryBytes: number;
    loads: string[];
    touches: string[];
  };
  expect(dry).toMatchObject({ deployment: { mode: 'queue' }, loads: ['webhook-ack'] });
  const components = dry.deployment.instances.map(({ component }) => component);
  expect(components).toEqual(expect.arrayContaining(['main', 'worker', 'postgresql', 'redis']));
  for (const { limits } of dry.deployment.instances) expect(limits.memoryBytes).toBeGreaterThan(0);
  expect(dry.memoryBytes).toBeGreaterThan(0);
  expect(dry.touches).not.toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test('for people it names the folder of the record', () => {
  const { status, stdout } = dryRun('-o', 'here', '--target', '5/s');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^record +here$/m);
  expect(stdout).toMatch(/^memory .*\b2 GiB\b/m);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['a value that the chart refuses', ['--set', 'main.replicas=2']],
  ['a flag that contradicts another', ['--target', '5/s', '--clients', '3']],
  ['an unknown profile', ['--profile', 'qeue']],
  ['a variable of another provisioner', ['--url', 'http://127.0.0.1:1']],
])('%s is refused as in a run', (_, args) => {
  const { status, stdout, stderr } = dryRun(...args);
  expect({ status, stdout }).toEqual({ status: 3, stdout: '' });
  expect(stderr).toMatch(/^n8n-capacity: /m);
});
