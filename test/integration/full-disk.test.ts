import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import { readRun } from '../../capacity/src/record/recorder.js';
import { SweepFolder } from '../../capacity/src/features/sweep/folder.js';
import { cli, findLeftovers, LENIENT } from './cli.js';

jest.setTimeout(600_000);

const disk = mkdtempSync(join(tmpdir(), 'full-disk-'));
const mounted = mountDisk();
afterAll(() => {
  if (mounted) execFileSync('umount', ['--lazy', disk]);
  rmSync(disk, { recursive: true });
});

/** Mounts a small disk; false if it cannot, because that takes root and the right to mount. */
function mountDisk(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'n8n-capacity-test', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Fills the disk, except for this number of bytes. */
function fillDisk(bytes: number): void {
  rmSync(join(disk, 'ballast'), { force: true });
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - bytes));
}

const ifMounted = mounted ? test : test.skip;
const reason = mounted ? '' : ' (skipped: no tmpfs can be mounted here, which takes root)';

ifMounted(
  `a disk that fills in the middle of a run gives one error, leaves nothing, and the record is judged${reason}`,
  async () => {
    fillDisk(96 * 1024);
    const run = join(disk, 'run');
    const steps = ['--rates', Array.from({ length: 40 }, () => '20/s').join(','), '--step-duration', '5s'];
    const { exitCode, stdout, stderr } = await cli(
      ...['validate', '-o', run, '--workload', 'webhook-ack', ...steps, ...LENIENT],
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    const errors = stderr.split('\n').filter((line) => line.startsWith('n8n-capacity:'));
    expect(errors).toEqual([expect.stringContaining('ENOSPC')]);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(findLeftovers()).toEqual([]);

    const recorded = await readRun(run);
    expect(recorded.steps.length).toBeGreaterThan(0);
    expect(recorded.samples.length).toBeGreaterThan(0);
    rmSync(join(disk, 'ballast'));
    const report = await cli('report', run, '--json');
    expect(report.exitCode).toBeLessThan(3);
    expect(readFileSync(join(run, 'verdict.json'), 'utf8')).toContain('webhook-ack');
  },
);

ifMounted(`a sweep on a disk that fills ends, and goes on when there is room${reason}`, async () => {
  const plan = join(tmpdir(), `full-disk-${process.pid}.yaml`);
  writeFileSync(
    plan,
    '{name: full, dimensions: {concurrency: [1, 2]}, workload: webhook-ack, rates: [2, 3, 4], explore: all, noise: 5%}',
  );
  const record = join(disk, 'sweep');
  const sweep = () =>
    execa(process.execPath, [join(import.meta.dirname, 'stub-sweep.mjs'), plan, record], { reject: false });
  fillDisk(48 * 1024);
  expect((await sweep()).stderr).toMatch(/CannotRecord: .*ENOSPC/);
  const folder = new SweepFolder(record);
  // A step that could not be recorded gives no verdict on a configuration.
  expect((await folder.outcomes()).filter((o) => o.conclusion.includes('ENOSPC'))).toEqual([]);

  rmSync(join(disk, 'ballast'));
  expect((await sweep()).exitCode).toBe(0);
  expect((await folder.outcomes()).map((o) => o.id)).toEqual(['1-concurrency-1', '2-concurrency-2']);
  for (const id of ['1-concurrency-1', '2-concurrency-2'])
    expect((await readRun(folder.runOf(id, 'measure'))).steps.map((s) => s.rate)).toEqual([2, 3, 4]);
  rmSync(plan);
  rmSync(record, { recursive: true });
});

ifMounted(`a disk that is full before anything starts${reason}`, async () => {
  fillDisk(0);
  const args = ['-o', join(disk, 'another'), '--workload', 'webhook-ack', '--quiet'];
  const { exitCode, stderr } = await cli('validate', ...args);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/^n8n-capacity: [^\n]*ENOSPC[^\n]*$/);
});
