import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { waitUntil } from '../../../../capacity/src/core/wait-until.js';
import { SmallDisk } from '../../../../capacity/src/features/faults/small-disk.js';
import type { Launch } from '../../../../capacity/src/provision/process/supervise.js';

const cwd = mkdtempSync(join(tmpdir(), 'small-disk-'));
afterAll(() => rmSync(cwd, { recursive: true }));
mkdirSync(join(cwd, 'pgdata'));
writeFileSync(join(cwd, 'pgdata', 'PG_VERSION'), '18');

const launch = (component: Launch['component']): Launch => ({
  name: `${component}-0`,
  component,
  command: 'cat',
  args: [join(cwd, 'pgdata', 'new')],
  environment: {},
  cwd,
  logFile: '',
  graceSeconds: 1,
});

const ifRoot = SmallDisk.unavailable() === undefined ? test : test.skip;

test('other pods stay as they are', async () => {
  const redis = launch('redis');
  expect(await new SmallDisk().adapt(redis)).toBe(redis);
});

ifRoot('PostgreSQL gets a disk with its data that this machine does not see, and nothing of it is left', async () => {
  const disk = new SmallDisk();
  const { command, args } = await disk.adapt(launch('postgresql'));
  const { folder } = disk;
  expect(readFileSync(join(folder, 'PG_VERSION'), 'utf8')).toBe('18');
  writeFileSync(join(folder, 'new'), 'on the disk');
  expect((await execa(command, args)).stdout).toBe('on the disk');
  expect(() => readFileSync(join(cwd, 'pgdata', 'new'))).toThrow();
  expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(cwd);
  disk.end();
  const isGone = () => (isUnreachable(folder) ? true : undefined);
  expect(await waitUntil(isGone, { seconds: 5 })).toBe(true);
});

function isUnreachable(folder: string): boolean {
  try {
    readFileSync(join(folder, 'PG_VERSION'));
    return false;
  } catch {
    return true;
  }
}
