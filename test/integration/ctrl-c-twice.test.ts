import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { descendants, readProcesses } from '../../capacity/src/observe/proc.js';
import { isAlive } from '../../capacity/src/core/processes.js';
import { readRun } from '../../capacity/src/record/recorder.js';
import { eventually } from '../cluster/support/eventually.js';
import { LENIENT, printed, startValidate } from './cli.js';

jest.setTimeout(300_000);

test('Ctrl-C twice ends it at once: nothing runs on, and what was recorded is whole', async () => {
  const { child, folder } = startValidate(
    '--workload',
    'webhook-ack',
    '--rates',
    '4/s,2/s',
    '--step-duration',
    '20s',
    ...LENIENT,
  );
  await printed(child, /webhook-ack at 2\/s/);
  await sleep(3000);
  const started = descendants(await readProcesses(), child.pid!);
  // n8n with its task runner, and k6
  expect(started.length).toBeGreaterThanOrEqual(3);
  child.kill('SIGINT');
  await printed(child, /^stopping…/m);
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
  await eventually('the end of all that was started', 30, async () => !started.some(isAlive));
  const { steps, samples } = await readRun(folder);
  expect(steps.map((s) => s.rate)).toEqual([4]);
  expect(samples.length).toBeGreaterThan(0);
});
