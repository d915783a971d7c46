import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { isAlive } from '../../capacity/src/core/processes.js';
import { processTreeIds, readProcesses } from '../../capacity/src/observe/proc.js';
import { readRun } from '../../capacity/src/record/recorder.js';
import { eventually } from '../cluster/support/eventually.js';
import { expectNothingLeft, LENIENT, startValidate, waitForFile } from './cli.js';

jest.setTimeout(600_000);

describe('once', () => {
  expectNothingLeft();

  test.each([
    ['while n8n imports', 'logs/import.log'],
    ['while n8n starts', 'logs/n8n-tuned-main-0.log'],
  ])('Ctrl-C %s: exit code 130, and nothing is left', async (_, file) => {
    const started = startValidate('--workload', 'webhook-ack', '--rates', '2/s', '--step-duration', '60s');
    await waitForFile(started, file);
    await sleep(500);
    started.child.kill('SIGINT');
    expect((await started.child).exitCode).toBe(130);
    for (const name of readdirSync(started.folder)) expect(name).not.toMatch(/\.partial$/);
    const record = join(started.folder, 'run.json');
    if (existsSync(record)) JSON.parse(readFileSync(record, 'utf8'));
  });
});

// The control groups of the run stay, and the next run removes them.
test('Ctrl-C twice under load ends everything at once, and the record is complete', async () => {
  const rates = ['--rates', '4/s,2/s', '--step-duration', '12s', '--warmup', '2s', '--no-overload'];
  const started = startValidate('--workload', 'webhook-ack', ...rates, ...LENIENT);
  const { child, folder } = started;
  await waitForFile(started, 'steps/01-webhook-ack.csv.gz');
  const processes = processTreeIds(await readProcesses(), child.pid!);
  // n8n with its task runner, and k6
  expect(processes.length).toBeGreaterThanOrEqual(3);
  child.kill('SIGINT');
  await sleep(100);
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
  await eventually('all that was started has ended', 30, async () => !processes.some(isAlive));
  const { steps, samples } = await readRun(folder);
  expect(steps.map((s) => s.rate)).toEqual([4]);
  expect(samples.length).toBeGreaterThan(0);
});
