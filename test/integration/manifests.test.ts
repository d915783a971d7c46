import { jest } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRun } from '../../capacity/src/record/recorder.js';
import { SweepFolder } from '../../capacity/src/features/sweep/folder.js';
import type { SweepConclusion } from '../../capacity/src/features/sweep/record.js';
import { cli, expectNothingLeft, expectPass, LENIENT, runValidate, SLOW } from './cli.js';

jest.setTimeout(300_000);
expectNothingLeft();

const scratch = mkdtempSync(join(tmpdir(), 'manifests-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const MANIFESTS = join(import.meta.dirname, 'manifests', 'queue.yaml');

test('validate drives n8n from the manifests of another chart, and the record lists the differences from them', async () => {
  const ended = await runValidate('--manifests', MANIFESTS, '--workload', 'webhook-ack', ...SLOW, ...LENIENT);
  expectPass(ended);
  const { run, steps, folder } = ended;
  expect(run.deployment).toMatchObject({ mode: 'queue', database: 'postgresdb', slots: 5 });
  expect(run.deployment.adopted).toContainEqual(
    expect.stringMatching(/container permissions of StatefulSet automation/),
  );
  expect(run.versions.chart).toBeUndefined();
  expect(steps[0]!.executions!.completed).toBe(steps[0]!.executions!.accepted);
  // The manifests of another chart do not give values of this chart.
  expect(existsSync(join(folder, 'values.held.yaml'))).toBe(false);
});

test('a sweep changes components and variables of the manifests', async () => {
  const plan = join(scratch, 'plan.yaml');
  writeFileSync(
    plan,
    `{name: other, manifests: ${MANIFESTS}, dimensions: {workers: [1], concurrency: [5, 8], N8N_LOG_LEVEL: [warn]}, workload: webhook-ack, rates: [5], explore: all, noise: 5%, step: {duration: 12s, warmup: 2s}, slo: {p95: 20s, errors: 20%}}`,
  );
  const record = join(scratch, 'record');
  const { exitCode, stdout } = await cli('sweep', plan, '-o', record, '--json');
  // Exit code 2: a busy machine makes steps INCONCLUSIVE. The test checks what was deployed, not its capacity.
  expect([0, 2]).toContain(exitCode);
  const { rows, cheapest } = JSON.parse(stdout) as SweepConclusion;
  expect(cheapest).toBeUndefined();
  const slots = rows.map(async ({ id }) => {
    const { run, steps } = await readRun(new SweepFolder(record).runOf(id, 'measure'));
    const { accepted, completed } = steps[0]!.executions!;
    expect(completed).toBe(accepted);
    return [run.deployment.slots, run.plan.foreign?.overrides];
  });
  expect(await Promise.all(slots)).toEqual([
    [5, { workers: 1, concurrency: 5, N8N_LOG_LEVEL: 'warn' }],
    [8, { workers: 1, concurrency: 8, N8N_LOG_LEVEL: 'warn' }],
  ]);
});
