import type { SweepConclusion, SweepOutcome } from '../../capacity/src/features/sweep/record.js';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import { parse } from 'yaml';
import { chartFolder } from '../../capacity/src/core/paths.js';
import { helm } from '../support/tools.js';
import { cli, expectNothingLeft, readJsonLines, waitForFile } from './cli.js';

jest.setTimeout(600_000);

const folder = mkdtempSync(join(tmpdir(), 'sweep-'));
afterAll(() => rmSync(folder, { recursive: true }));
const record = join(folder, 'record');

/** Executions of 1 s at 3/s. Two slots are too few by arithmetic, and the chart refuses a heap above the limit. */
const PLAN = `
name: slots
dimensions:
  concurrency: [2, 10, 20]
  heap: [700, 9000]
workload: webhook-wait
query: {seconds: 1}
target: 3/s
headroom: 1
slo: {p50: 20s, errors: 20%}
step: {duration: 7s, warmup: 2s, hold: 8s}
`;
/** The cheapest configuration that is tried, with the step that was recorded before Ctrl-C. */
const CHEAPEST = '3-concurrency-10-heap-700';
const plan = join(folder, 'plan.yaml');
writeFileSync(plan, PLAN);
const start = (...args: string[]) => cli('sweep', plan, '-o', record, ...args);
const outcomes = () => readJsonLines<SweepOutcome>(join(record, 'outcomes.ndjson'));

expectNothingLeft();

test('Ctrl-C ends the sweep, keeps its record and leaves nothing behind', async () => {
  const child = start();
  await waitForFile({ child, folder: record }, `runs/${CHEAPEST}/steps.ndjson`);
  child.kill('SIGINT');
  const { exitCode, stderr } = await child;
  expect(exitCode).toBe(130);
  expect(stderr).toContain(record);
});

test('the same command continues, measures nothing twice, and gives the values of the cheapest configuration that is confirmed', async () => {
  const steps = readJsonLines<{ measuredFrom: number }>(join(record, 'runs', CHEAPEST, 'steps.ndjson'));
  const { exitCode, stdout, stderr } = await start('--json');
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  const conclusion = JSON.parse(stdout) as SweepConclusion;
  expect(conclusion.verdict).toBe('PASS');
  expect(Object.fromEntries(conclusion.rows.map((row) => [row.id, row.status]))).toEqual({
    '1-concurrency-2-heap-700': 'excluded',
    '2-concurrency-2-heap-9000': 'excluded',
    [CHEAPEST]: 'meets',
    '4-concurrency-10-heap-9000': 'excluded',
    '5-concurrency-20-heap-700': 'ruled-out',
    '6-concurrency-20-heap-9000': 'excluded',
  });
  expect(conclusion.rows[1]!.text).toContain('heap');
  expect(outcomes().map((o) => [o.id, o.purpose])).toEqual([
    [CHEAPEST, 'measure'],
    [CHEAPEST, 'hold'],
  ]);
  // The step that was recorded before Ctrl-C is kept.
  const after = readJsonLines<{ measuredFrom: number }>(join(record, 'runs', CHEAPEST, 'steps.ndjson'));
  expect(after.map((s) => s.measuredFrom)).toEqual(steps.map((s) => s.measuredFrom));

  const { values } = conclusion.cheapest!;
  expect(parse(readFileSync(values, 'utf8'))).toMatchObject({ executions: { concurrencyLimit: 10 } });
  await execa(helm, ['template', 'n8n-tuned', chartFolder, '-f', values]);
});

test('recommend gives the same values from the record, and at another rate those that held only in a step', async () => {
  const recommend = (...args: string[]) => cli('recommend', record, ...args);
  const { exitCode, stdout } = await recommend();
  expect(exitCode).toBe(0);
  expect(parse(stdout)).toEqual(parse(readFileSync(join(record, 'values.held.yaml'), 'utf8')));
  expect((await recommend('--target', '4/s')).exitCode).toBe(2);
});

test('a third call has nothing left to do', async () => {
  const before = outcomes();
  const { exitCode } = await start();
  expect(exitCode).toBe(0);
  expect(outcomes()).toEqual(before);
});

test('the sweep refuses a folder with the record of another plan', async () => {
  writeFileSync(plan, PLAN.replace('7s', '9s'));
  const { exitCode, stderr } = await start();
  expect(exitCode).toBe(3);
  expect(stderr).toContain(record);
});

test('the sweep refuses an existing n8n and its flags', async () => {
  const { exitCode, stderr } = await start('--provisioner', 'existing', '--url', 'https://n8n.example.org');
  expect(exitCode).toBe(3);
  expect(stderr).toContain('--provisioner existing');
});
