import type { RunVerdict } from '../../capacity/src/model/verdict.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { descendants, readProcesses } from '../../capacity/src/observe/proc.js';
import { chartFolder } from '../../capacity/src/core/paths.js';
import { leftovers, LENIENT, printed, startValidate } from './cli.js';

jest.setTimeout(600_000);

const QUEUE = [
  '-f',
  join(chartFolder, 'profiles', 'queue.yaml'),
  '--set',
  'worker.replicas=1',
  '--set',
  'webhook.replicas=1',
];
const LOAD = ['--workload', 'webhook-ack', '--rates', '4/s', '--step-duration', '10s', '--warmup', '2s', ...LENIENT];

let before: string[];
beforeEach(() => void (before = leftovers()));
afterEach(() => expect(leftovers().filter((left) => !before.includes(left))).toEqual([]));

/** Runs a validation, and kills what the pattern names among its processes in the middle of its step. */
async function killed(pattern: RegExp, ...args: string[]) {
  const { child, folder } = startValidate(...args, ...LOAD);
  await printed(child, /webhook-ack at 4\/s/);
  await sleep(6000);
  const own = descendants(await readProcesses(), child.pid!);
  const found = own.filter((pid) => pattern.test(commandLine(pid)));
  expect(found).not.toEqual([]);
  for (const pid of found) process.kill(pid, 'SIGKILL');
  const { exitCode } = await child;
  const verdict = JSON.parse(readFileSync(join(folder, 'verdict.json'), 'utf8')) as RunVerdict;
  return { exitCode, verdict: verdict.verdict, reasons: verdict.loads[0]!.steps[0]!.judged.reasons };
}

const commandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
};

test('k6 killed in the middle of a step: INCONCLUSIVE', async () => {
  const { exitCode, verdict, reasons } = await killed(/\/k6 run /);
  expect({ exitCode, verdict }).toEqual({ exitCode: 2, verdict: 'INCONCLUSIVE' });
  expect(reasons[0]).toMatchObject({ code: 'k6', text: expect.stringContaining('signal SIGKILL') });
});

test.each([
  ['Redis', /redis-server/, 'redis'],
  ['PostgreSQL', /\/postgres -D /, 'postgresql'],
])('%s killed in the middle of a step: FAIL, with the reason', async (_, pattern, component) => {
  const { exitCode, verdict, reasons } = await killed(pattern, ...QUEUE);
  expect({ exitCode, verdict }).toEqual({ exitCode: 1, verdict: 'FAIL' });
  expect(reasons[0]).toMatchObject({
    code: 'died',
    text: expect.stringMatching(new RegExp(`^n8n-tuned-${component}-0 died under load`)),
  });
});
