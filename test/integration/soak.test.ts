import type { StepRecord } from '../../capacity/src/model/step.js';
import type { RowsRecord } from '../../capacity/src/model/sample.js';
import type { RunConclusion } from '../../capacity/src/model/verdict.js';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { chartFolder } from '../../capacity/src/core/paths.js';
import { BIN, leftovers, LENIENT, lines, printed } from './cli.js';

jest.setTimeout(300_000);

let before: string[];
beforeEach(() => void (before = leftovers()));
afterEach(() => expect(leftovers().filter((left) => !before.includes(left))).toEqual([]));

function start(...args: string[]) {
  const folder = join(mkdtempSync(join(tmpdir(), 'soak-')), 'run');
  const options = { reject: false, stdin: 'ignore' } as const;
  return { folder, child: execa(process.execPath, [BIN, 'soak', '-o', folder, ...LENIENT, ...args], options) };
}

test('a minute is too short to tell of drift; rows of n8n in SQLite are counted', async () => {
  const { child, folder } = start('--rate', '2/s', '--duration', '1m', '--json');
  const { exitCode, stdout, stderr } = await child;
  expect({ exitCode, stderr: exitCode === 2 ? '' : stderr }).toEqual({ exitCode: 2, stderr: '' });
  const { verdict } = JSON.parse(stdout) as RunConclusion;
  expect(verdict).toMatchObject({ verdict: 'INCONCLUSIVE', loads: [{ verdict: 'PASS', capacity: 2 }] });
  expect(verdict.soak).toMatchObject({ verdict: 'too-short', unknown: [] });
  expect(verdict.soak!.drifts.map((d) => `${d.of} ${d.name}`)).toEqual([
    'memory n8n-tuned-main-0',
    'heap n8n-tuned-main-0',
    'latency webhook-ack',
    'rows execution_entity',
    'rows execution_data',
  ]);
  const [step] = lines<StepRecord>(join(folder, 'steps.ndjson'));
  expect(step!.summary.seconds.length).toBeGreaterThanOrEqual(60);
  const rows = lines<RowsRecord>(join(folder, 'rows.ndjson'));
  expect(rows[0]!.rows.execution_entity).toBe(0);
  expect(rows.at(-1)!.rows.execution_entity).toBeGreaterThan(60);
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('id="drift"');
});

test('Ctrl-C keeps what was recorded, and report judges it; rows of n8n in PostgreSQL are counted', async () => {
  const { child, folder } = start(
    '--rate',
    '2/s',
    '--duration',
    '30m',
    '-f',
    join(chartFolder, 'profiles', 'queue.yaml'),
  );
  await printed(child, /webhook-ack at 2\/s/);
  await sleep(30_000);
  child.kill('SIGINT');
  const { exitCode, stderr } = await child;
  expect(exitCode).toBe(130);
  expect(stderr).toContain(`"n8n-capacity report ${folder}" judges what there is`);
  const report = await execa(process.execPath, [BIN, 'report', folder, '--json'], { reject: false });
  expect(report.exitCode).toBe(2);
  const { verdict } = JSON.parse(report.stdout) as RunConclusion;
  const [judged] = verdict.loads[0]!.steps;
  const seconds = (judged!.step.measuredTo - judged!.step.measuredFrom) / 1000;
  expect(seconds).toBeGreaterThan(10);
  expect(seconds).toBeLessThan(60);
  expect(judged).toMatchObject({ judged: { verdict: 'PASS' }, step: { summary: { failed: 0 } } });
  expect(verdict.soak).toMatchObject({ verdict: 'too-short', unknown: [] });
  expect(lines<RowsRecord>(join(folder, 'rows.ndjson'))[0]!.rows).toEqual({ execution_entity: 0, execution_data: 0 });
});

test.each([
  [['--rate', '2/s'], /required option '--duration <time>' not specified/],
  [['--rate', '2/s', '--duration', '73h'], /--duration: 73h is not allowed; write 1m to 72h/],
])('%j: exit code 3 before anything starts', async (args, message) => {
  const { exitCode, stderr } = await start(...args).child;
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(message);
});
