import type { StepRecord } from '../../capacity/src/model/step.js';
import type { RowsRecord } from '../../capacity/src/model/sample.js';
import type { RunConclusion } from '../../capacity/src/model/verdict.js';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { cli, expectNothingLeft, LENIENT, readJsonLines, waitForFile } from './cli.js';

jest.setTimeout(600_000);

expectNothingLeft();

function start(...args: string[]) {
  const folder = join(mkdtempSync(join(tmpdir(), 'soak-')), 'run');
  return { folder, child: cli('soak', '-o', folder, ...LENIENT, '--rate', '2/s', ...args) };
}

test('a soak of a minute is too short to judge drift; the rows of n8n in SQLite are counted', async () => {
  const { child, folder } = start('--duration', '1m', '--json');
  const { exitCode, stdout, stderr } = await child;
  expect({ exitCode, stderr: exitCode === 2 ? '' : stderr }).toEqual({ exitCode: 2, stderr: '' });
  const { verdict } = JSON.parse(stdout) as RunConclusion;
  expect(verdict).toMatchObject({ verdict: 'INCONCLUSIVE', loads: [{ verdict: 'PASS', capacity: 2 }] });
  expect(verdict.soak).toMatchObject({ verdict: 'too-short', unknown: [] });
  expect(verdict.soak!.drifts.map((d) => `${d.of} ${d.name}`)).toEqual([
    'memory n8n-tuned-main-0',
    'heap n8n-tuned-main-0',
    'latency webhook-ack',
    'backlog webhook-ack',
    'rows execution_entity',
    'rows execution_data',
  ]);
  const [step] = readJsonLines<StepRecord>(join(folder, 'steps.ndjson'));
  expect(step!.summary.seconds.at(-1)!.at).toBeGreaterThanOrEqual(55);
  const rows = readJsonLines<RowsRecord>(join(folder, 'rows.ndjson'));
  expect(rows[0]!.rows.execution_entity).toBe(0);
  expect(rows.at(-1)!.rows.execution_entity).toBeGreaterThan(60);
  expect(existsSync(join(folder, 'report.html'))).toBe(true);
});

test('Ctrl-C keeps the record, and report judges it; the rows of n8n in PostgreSQL are counted', async () => {
  const started = start('--duration', '30m', '--set', 'database.type=postgresql');
  const { child, folder } = started;
  await waitForFile(started, 'steps/00-webhook-ack.csv.gz');
  await sleep(20_000);
  child.kill('SIGINT');
  const { exitCode, stderr } = await child;
  expect(exitCode).toBe(130);
  expect(stderr).toContain(`n8n-capacity report ${folder}`);
  const report = await cli('report', folder, '--json');
  expect(report.exitCode).toBe(2);
  const { verdict } = JSON.parse(report.stdout) as RunConclusion;
  const [judged] = verdict.loads[0]!.steps;
  // The step was cut off, so it is judged for the time that it lasted. The evidence of a short step depends on the moment
  // of the cut.
  expect(judged!.judged.verdict).not.toBe('FAIL');
  expect(judged!.step.summary.failed).toBe(0);
  expect(verdict.soak).toMatchObject({ verdict: 'too-short', unknown: [] });
  expect(readJsonLines<RowsRecord>(join(folder, 'rows.ndjson'))[0]!.rows).toEqual({
    execution_entity: 0,
    execution_data: 0,
  });
});
