import type { CompareConclusion } from '../../capacity/src/features/compare/judge/compare.js';
import type { StepRecord } from '../../capacity/src/model/step.js';
import type { RunRecord } from '../../capacity/src/model/run.js';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '../../capacity/src/core/paths.js';
import { cli, readJsonLines } from './cli.js';

const EXAMPLE = join(repositoryFolder, 'docs', 'example-run');
const compare = (...args: string[]) => cli('compare', ...args);

const scratch = mkdtempSync(join(tmpdir(), 'compare-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Writes a copy of the example run with changes. */
function writeChangedRun(
  name: string,
  change: { run?: (run: RunRecord) => void; step?: (step: StepRecord) => void },
): string {
  const folder = join(scratch, name);
  cpSync(EXAMPLE, folder, { recursive: true });
  const run = JSON.parse(readFileSync(join(EXAMPLE, 'run.json'), 'utf8')) as RunRecord;
  change.run?.(run);
  writeFileSync(join(folder, 'run.json'), JSON.stringify(run));
  const steps = readJsonLines<StepRecord>(join(EXAMPLE, 'steps.ndjson'));
  for (const step of steps) change.step?.(step);
  writeFileSync(join(folder, 'steps.ndjson'), steps.map((step) => `${JSON.stringify(step)}\n`).join(''));
  return folder;
}

test('a run compared with itself is a tie in every load, without differences', async () => {
  const { exitCode, stdout } = await compare(EXAMPLE, EXAMPLE, '--json');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    outcome: 'tie',
    loads: [
      { load: 'webhook-ack', outcome: 'tie', latency: { outcome: 'tie' } },
      { load: 'webhook-expression', outcome: 'tie', latency: { outcome: 'tie' } },
    ],
    notComparable: [],
    differences: [],
  } satisfies Partial<Record<keyof CompareConclusion, unknown>>);
});

test('a load at half of the rate makes the run worse; other differences are shown', async () => {
  const slower = writeChangedRun('slower', {
    run: (run) => (run.versions.n8n = '2.39.10'),
    step: (step) => {
      if (step.load === 'webhook-ack' && step.rate !== undefined) step.rate /= 2;
    },
  });
  const { exitCode, stdout } = await compare(EXAMPLE, slower, '--noise', '5%', '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    outcome: 'worse',
    loads: [
      { load: 'webhook-ack', outcome: 'worse' },
      { load: 'webhook-expression', outcome: 'tie' },
    ],
    differences: [{ kind: 'version', what: 'n8n', a: '2.41.1', b: '2.39.10' }],
  });
  const reversed = await compare(slower, EXAMPLE, '--noise', '5%', '--json');
  expect(reversed.exitCode).toBe(0);
  expect(JSON.parse(reversed.stdout)).toMatchObject({ outcome: 'better' });
  expect((await compare(EXAMPLE, slower, '--noise', '100%')).exitCode).toBe(0);
  const unmeasured = await compare(EXAMPLE, slower, '--json');
  expect(unmeasured.exitCode).toBe(2);
  expect(JSON.parse(unmeasured.stdout)).toMatchObject({ outcome: 'unknown', noise: { source: 'unmeasured' } });
  expect((await compare(EXAMPLE, slower)).stdout).toContain('cannot tell');
});

test('compare refuses runs without a common load', async () => {
  const other = writeChangedRun('other', {
    run: (run) => run.plan.loads.forEach((load) => (load.name = `my-${load.name}`)),
    step: (step) => (step.load = `my-${step.load}`),
  });
  const { exitCode, stdout } = await compare(EXAMPLE, other, '--json');
  expect(exitCode).toBe(2);
  const conclusion = JSON.parse(stdout) as CompareConclusion;
  expect(conclusion.outcome).toBeUndefined();
  expect(conclusion.loads).toEqual([]);
  expect(conclusion.notComparable).not.toEqual([]);
});
