import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '../../../capacity/src/core/paths.js';

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

/** Each other command that measures, with what it needs. */
const OTHERS: [string, string[]][] = [
  ['soak', ['--rate', '5/s', '--duration', '11m']],
  ['burst', ['--base', '1/s', '--spike', '20/s', '--for', '30s']],
  ['payload-limit', []],
  ['sweep', [join(folder, 'plan.yaml')]],
  ['tune', ['--workload', 'webhook-ack', '--setting', 'sqlite-verbose', '--budget', '20m']],
  ['upgrade', ['--from', '1.123.81', '--to', '2.41.1']],
  ['faults', ['--profile', 'queue', '--fault', 'worker-kill']],
  ['confirm', [join(repositoryFolder, 'docs', 'example-run')]],
];

test.each(OTHERS)('%s --dry-run prints its plan, and leaves nothing', (command, args) => {
  const plan = { name: 'two', dimensions: { workers: [1, 2] }, values: { profile: 'queue' }, workload: 'webhook-ack' };
  writeFileSync(join(folder, 'plan.yaml'), JSON.stringify({ ...plan, target: '5/s' }));
  const { status, stdout } = spawnSync(process.execPath, [bin, command, ...args, '--dry-run'], {
    cwd: folder,
    encoding: 'utf8',
  });
  rmSync(join(folder, 'plan.yaml'));
  expect([status, /^time +about \d+ min/m.test(stdout), /^record +results/m.test(stdout)]).toEqual([0, true, true]);
  expect(readdirSync(folder)).toEqual([]);
});
