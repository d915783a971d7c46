import { jest } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import type { TrialRecord, TuneConclusion } from '../../capacity/src/features/tune/record.js';
import { chartFolder } from '../../capacity/src/core/paths.js';
import { helm } from '../support/tools.js';
import { cli, expectNothingLeft, readJsonLines, waitForFile } from './cli.js';

jest.setTimeout(1_200_000);

const folder = mkdtempSync(join(tmpdir(), 'tune-'));
afterAll(() => rmSync(folder, { recursive: true }));
const record = join(folder, 'record');

/**
 * Starts `tune` with a setting whose chart default is tried. Without it each execution takes an isolate, which costs at
 * least half of the throughput.
 */
const start = (...args: string[]) =>
  cli(
    ...['tune', '--workload', 'webhook-ack', '--setting', 'expression-lazy-acquire', '-o', record],
    ...['--set', 'expressionEngine.lazyAcquire=false', '--clients', '5', '--warmup', '1s', '--step-duration', '5s'],
    ...['--budget', '8m', ...args],
  );
const trials = () => readJsonLines<TrialRecord>(join(record, 'trials.ndjson'));

expectNothingLeft();

test('Ctrl-C ends tune with a report of the measured trials, and leaves nothing behind', async () => {
  const child = start();
  await waitForFile({ child, folder: record }, 'trials.ndjson');
  child.kill('SIGINT');
  const { exitCode, stderr } = await child;
  expect(exitCode).toBe(130);
  expect(stderr).toContain(record);
  expect(readFileSync(join(record, 'report.html'), 'utf8')).toContain('expressionEngine.lazyAcquire');
});

test('the same command continues, measures the cost of the values, and writes values that the chart accepts', async () => {
  const before = trials();
  const { exitCode, stdout, stderr } = await start('--json');
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  const { outcome, chosen, effects, gain, values } = JSON.parse(stdout) as TuneConclusion;
  expect([outcome, chosen]).toEqual(['confirmed', ['expression-lazy-acquire=true']]);
  expect(effects[0]!.finding).toBe('more');
  expect(gain!.throughput.least).toBeGreaterThan(1);
  expect(trials().slice(0, before.length)).toEqual(before);

  expect(parse(readFileSync(values!, 'utf8'))).toMatchObject({ expressionEngine: { lazyAcquire: true } });
  await execa(helm, ['template', 'n8n-tuned', chartFolder, '-f', values!]);
});
