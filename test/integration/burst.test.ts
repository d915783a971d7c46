import type { StepRecord } from '../../capacity/src/model/step.js';
import type { RunRecord } from '../../capacity/src/model/run.js';
import type { RunConclusion } from '../../capacity/src/model/verdict.js';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { cli, reasonCodes, expectNothingLeft, readJsonLines, profile } from './cli.js';

jest.setTimeout(600_000);

expectNothingLeft();

async function burst(...args: string[]) {
  const folder = join(mkdtempSync(join(tmpdir(), 'burst-')), 'run');
  const { exitCode, stdout, stderr } = await cli('burst', '-o', folder, '--json', ...args);
  if (stdout === '') throw new Error(`n8n-capacity printed no result (exit code ${exitCode}):\n${stderr}`);
  const { verdict } = JSON.parse(stdout) as RunConclusion;
  return {
    folder,
    exitCode,
    verdict,
    report: verdict.burst!,
    step: readJsonLines<StepRecord>(join(folder, 'steps.ndjson'))[0]!,
  };
}

/** One worker that runs 4 executions of 1 s at once, so it serves 4/s on any machine. */
const ONE_WORKER = [
  ...profile('queue'),
  ...['--set', 'worker.replicas=1,webhook.replicas=1', '--set', 'worker.concurrency=4'],
  ...['--workload', 'webhook-ack-wait', '--query', 'seconds=1'],
];

test('queue mode: executions beyond the slots wait in Bull and are worked off, and none is lost', async () => {
  const { folder, exitCode, verdict, report, step } = await burst(
    ...ONE_WORKER,
    ...['--base', '1/s', '--spike', '10/s', '--for', '6s', '--drain-within', '25s'],
  );
  expect({ exitCode, verdict: verdict.verdict, codes: reasonCodes(verdict) }).toEqual({
    exitCode: 0,
    verdict: 'PASS',
    codes: [],
  });
  expect(report).toMatchObject({ autoscaled: false, scaling: [], unended: { lost: 0, queued: 0 } });
  expect(step.executions!.completed).toBe(step.executions!.accepted);
  expect(report.phases.map(({ name, failed }) => [name, failed])).toEqual([
    ['base', 0],
    ['spike', 0],
    ['recovery', 0],
  ]);
  expect(report.phases[1]!.answered).toBeGreaterThanOrEqual(59);
  // At most 4/s are worked off, so 36 of 60 executions in 6 s must wait. The last sample is up to 2 s older.
  expect(report.backlog.source).toBe('queue');
  expect(report.peak!.executions).toBeGreaterThanOrEqual(24);
  expect(report.peak!.executions).toBeLessThanOrEqual(70);
  // The backlog shrinks by at most 4/s, less the 1/s that arrives.
  expect(report.drainSeconds).toBeGreaterThanOrEqual((report.peak!.executions - report.baseLevel) / 4 - 2);
  expect(existsSync(join(folder, 'report.html'))).toBe(true);

  // The same record judged with less time to drain is a FAIL, and late executions do not count as lost.
  const file = join(folder, 'run.json');
  const run = JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
  writeFileSync(
    file,
    JSON.stringify({ ...run, plan: { ...run.plan, rates: { ...run.plan.rates, drainWithinSeconds: 1 } } }),
  );
  // This test does not judge the CPU that other tests use meanwhile.
  const { machine: _, ...alone } = step;
  writeFileSync(join(folder, 'steps.ndjson'), `${JSON.stringify(alone)}\n`);
  const again = await cli('report', folder, '--json');
  expect(again.exitCode).toBe(1);
  const late = (JSON.parse(again.stdout) as RunConclusion).verdict;
  expect(reasonCodes(late)).toEqual(['drain']);
  expect(late.burst!.unended).toEqual({ lost: 0, queued: 0 });
});

test('regular mode: n8n counts the executions of many workflows that start in the same second', async () => {
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
