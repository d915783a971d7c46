import type { StepRecord } from '../../capacity/src/model/step.js';
import type { RunConclusion } from '../../capacity/src/model/verdict.js';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import { chartFolder } from '../../capacity/src/core/paths.js';
import { BIN, leftovers, lines } from './cli.js';

jest.setTimeout(300_000);

let before: string[];
beforeEach(() => void (before = leftovers()));
afterEach(() => expect(leftovers().filter((left) => !before.includes(left))).toEqual([]));

const command = (...args: string[]) => execa(process.execPath, [BIN, ...args], { reject: false, stdin: 'ignore' });

async function burst(...args: string[]) {
  const folder = join(mkdtempSync(join(tmpdir(), 'burst-')), 'run');
  const { exitCode, stdout, stderr } = await command('burst', '-o', folder, '--json', ...args);
  if (stdout === '') throw new Error(`n8n-capacity printed no result (exit code ${exitCode}):\n${stderr}`);
  const { verdict } = JSON.parse(stdout) as RunConclusion;
  return {
    folder,
    exitCode,
    verdict,
    report: verdict.burst!,
    step: lines<StepRecord>(join(folder, 'steps.ndjson'))[0]!,
  };
}

/** One worker that runs so many executions of a second at once: so many a second, whatever the machine. */
const oneWorker = (slots: number) => [
  ...['-f', join(chartFolder, 'profiles', 'queue.yaml')],
  ...['--set', 'worker.replicas=1,webhook.replicas=1', '--set', `worker.concurrency=${slots}`],
  ...['--workload', 'webhook-ack-wait', '--query', 'seconds=1'],
];

test('queue mode: what is above the slots waits in Bull, is drained, and nothing is lost', async () => {
  const { folder, exitCode, verdict, report, step } = await burst(
    ...oneWorker(8),
    ...['--base', '2/s', '--spike', '15/s', '--for', '8s', '--drain-within', '45s'],
  );
  expect({ exitCode, reasons: verdict.loads[0]!.steps[0]!.judged.reasons }).toEqual({ exitCode: 0, reasons: [] });
  expect(verdict.verdict).toBe('PASS');
  expect(report).toMatchObject({ autoscaled: false, scaling: [], unended: { lost: 0, queued: 0 } });
  expect(step.executions!.completed).toBe(step.executions!.accepted);
  expect(report.phases.map(({ name, failed }) => [name, failed])).toEqual([
    ['base', 0],
    ['spike', 0],
    ['recovery', 0],
  ]);
  expect(report.phases[1]!.answered).toBeGreaterThanOrEqual(119);
  // At most 8 a second are worked off: of 120 in 8 s, 56 must wait; the last look was up to 2 s before.
  expect(report.backlog.source).toBe('queue');
  expect(report.peak!.executions).toBeGreaterThanOrEqual(40);
  expect(report.peak!.executions).toBeLessThanOrEqual(140);
  // What waits is worked off by at most 8 a second, less 2 that arrive.
  expect(report.drainSeconds).toBeGreaterThanOrEqual((report.peak!.executions - report.baseLevel) / 8 - 2);

  const page = readFileSync(join(folder, 'report.html'), 'utf8');
  expect(page).toContain('at a fixed scale (no autoscaler)');
  const again = await command('report', folder);
  expect(again.exitCode).toBe(0);
  expect(again.stdout).toMatch(/Peak backlog +\d+ executions/);
});

test('a backlog that the slots cannot drain in time is a FAIL; late executions are not lost ones', async () => {
  // 60 above the slots, of which 2 a second are worked off beside the base: no machine does it in 5 s.
  const { exitCode, verdict, report } = await burst(
    ...oneWorker(4),
    ...['--base', '2/s', '--spike', '19/s', '--for', '4s', '--drain-within', '5s', '--drain', '2m'],
  );
  expect(exitCode).toBe(1);
  const { reasons } = verdict.loads[0]!.steps[0]!.judged;
  expect(reasons.map(({ code }) => code)).toEqual(['drain']);
  expect(reasons[0]!.text).toMatch(/5 s after the spike allowed$/);
  expect(report.unended).toEqual({ lost: 0, queued: 0 });
});

test('regular mode: a storm of workflows at one second is counted by n8n', async () => {
  const { exitCode, report } = await burst(
    ...['--base', '1/s', '--cron', '60', '--workload', 'webhook-ack-wait', '--query', 'seconds=3'],
    ...['--drain-within', '30s'],
  );
  expect(exitCode).toBe(0);
  expect(report.backlog.source).toBe('counts');
  expect(report.phases[1]).toMatchObject({ rate: 60, failed: 0 });
  expect(report.peak!.executions).toBeGreaterThanOrEqual(50);
  expect(report.unended!.lost).toBe(0);
});

test.each([
  [['--base', '1/s'], /--spike and --for are missing: write how much above the base/],
  [['--spike', '5/s', '--for', '9s'], /required option '--base <rate>' not specified/],
  [['--base', '5/s', '--spike', '5/s', '--for', '9s'], /--spike: 5\/s is not above the base/],
  [
    [
      '--base',
      '1/s',
      '--spike',
      '5/s',
      '--for',
      '9s',
      '--set',
      'worker.autoscaling.type=hpa',
      '--set',
      'executions.mode=queue',
    ],
    /cannot honour|refuses these values/,
  ],
])('%j: exit code 3 before anything starts', async (args, message) => {
  const { exitCode, stderr } = await command('burst', ...args);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(message);
});
