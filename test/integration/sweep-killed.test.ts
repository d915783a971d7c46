import type { StepRecord } from '../../capacity/src/model/step.js';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { jest } from '@jest/globals';
import { readRun } from '../../capacity/src/record/recorder.js';
import { SweepFolder } from '../../capacity/src/features/sweep/folder.js';

jest.setTimeout(600_000);

const scratch = mkdtempSync(join(tmpdir(), 'sweep-killed-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const plan = join(scratch, 'plan.yaml');
const RATES = [2, 3, 4, 5];
const CONFIGURATIONS = 3;
writeFileSync(
  plan,
  `{name: killed, dimensions: {concurrency: [1, 2, 3]}, workload: webhook-ack, rates: [${RATES.join(', ')}], explore: all, noise: 5%}`,
);
const record = join(scratch, 'record');
const listRuns = () => (existsSync(join(record, 'runs')) ? readdirSync(join(record, 'runs')).sort() : []);

/** Every recorded step as `configuration, index, when`, without a line that was cut off. */
function recordedSteps(): string[] {
  return listRuns().flatMap((id) => {
    const file = join(record, 'runs', id, 'steps.ndjson');
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    return lines.filter(Boolean).map((line) => {
      const { index, measuredFrom } = JSON.parse(line) as StepRecord;
      return `${id} ${index} ${measuredFrom}`;
    });
  });
}

/**
 * Runs the sweep until it has recorded something new, and kills it `afterMs` later. Returns whether it had ended before.
 */
async function runAndKill(afterMs: number): Promise<boolean> {
  const before = recordedSteps().length;
  const child = execa(process.execPath, [join(import.meta.dirname, 'stub-sweep.mjs'), plan, record], {
    reject: false,
    stdin: 'ignore',
  });
  while (child.exitCode === null && recordedSteps().length === before) await sleep(5);
  await sleep(afterMs);
  child.kill('SIGKILL');
  const { exitCode, stderr, isTerminated } = await child;
  if (!isTerminated && exitCode !== 0) throw new Error(`it failed:\n${stderr}`);
  return !isTerminated;
}

test('a sweep that is killed repeatedly loses no step and measures none twice', async () => {
  let kills = 0;
  // Steps are 0.2 s apart. Kills at different times after the last step cut off different writes.
  while (!(await runAndKill((kills * 67) % 290))) {
    kills += 1;
    const known = recordedSteps();
    expect(new Set(known.map((s) => s.replace(/ \d+$/, ''))).size).toBe(known.length);
    recorded.push(known);
  }
  expect(kills).toBeGreaterThan(3);
  const last = recordedSteps();
  for (const known of recorded) expect(last).toEqual(expect.arrayContaining(known));
  expect(listRuns()).toHaveLength(CONFIGURATIONS);
  for (const id of listRuns()) {
    const run = await readRun(join(record, 'runs', id));
    expect(run.steps.map((s) => [s.index, s.rate])).toEqual(RATES.map((rate, index) => [index, rate]));
  }
  expect((await new SweepFolder(record).outcomes()).map((o) => o.id)).toEqual(listRuns());
  const files = readdirSync(record, { recursive: true }).map(String);
  expect(files.filter((name) => name.endsWith('.partial'))).toEqual([]);
});
const recorded: string[][] = [];
