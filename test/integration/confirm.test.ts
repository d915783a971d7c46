import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { parse } from 'yaml';
import type { ConfirmConclusion } from '../../capacity/src/features/confirm/record.js';
import type { RunRecord } from '../../capacity/src/model/run.js';
import type { RowsRecord } from '../../capacity/src/model/sample.js';
import type { StepRecord } from '../../capacity/src/model/step.js';
import { buildGoodStep, buildPlan, buildRunRecord, writeRun } from '../capacity/support/index.js';
import { cli, expectNothingLeft, readJsonLines, SHORT } from './cli.js';

jest.setTimeout(300_000);
expectNothingLeft();

const scratch = mkdtempSync(join(tmpdir(), 'confirm-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Records a run at 2/s with objectives that only a broken deployment misses. */
async function recordRun(): Promise<string> {
  const slo = { p50: 20, errors: 0.2 };
  const run = buildRunRecord({ plan: buildPlan({ slo, rates: { kind: 'rates', rates: [2] }, warmupSeconds: 2 }) });
  const samples = [0, 1].map((i) => ({
    at: 1_000_000 + i * 1000,
    instances: [{ name: 'main-0', rssBytes: 2 ** 29, cpuSeconds: 0.4 * i, processes: 2 }],
  }));
  return writeRun(join(scratch, 'run'), { run, steps: [buildGoodStep({ rate: 2 })], samples });
}

test('confirm runs three fresh deployments and a soak too short for a recommendation; a second call runs nothing', async () => {
  const folder = join(scratch, 'confirmed');
  const command = ['confirm', await recordRun(), '-o', folder, '--headroom', '1', '--json'];
  const short = [...SHORT.slice(0, 2), '--soak', '12s', '--seed-executions', '2000'];
  const { exitCode, stdout, stderr } = await cli(...command, ...short);
  if (stdout === '') throw new Error(stderr);
  const conclusion = JSON.parse(stdout) as ConfirmConclusion;
  const [load] = conclusion.loads;
  expect({ exitCode, verdict: conclusion.verdict }).toEqual({ exitCode: 2, verdict: 'INCONCLUSIVE' });
  expect(load!.tries.map(({ deployment, rate, outcome }) => [deployment, rate, outcome])).toEqual(
    [1, 2, 3].map((deployment) => [deployment, 2, 'held']),
  );
  expect(load!.soak).toMatchObject({ verdict: 'INCONCLUSIVE' });
  expect(load!.capacity.low).toBeGreaterThan(1);

  // Each is a separate run with the values that held.
  const run = (name: string) => JSON.parse(readFileSync(join(folder, name, 'run.json'), 'utf8')) as RunRecord;
  expect(run('runs/02-webhook-ack').plan.rates).toEqual({ kind: 'confirm', rates: [2] });
  expect(run('soaks/webhook-ack').plan.rates).toMatchObject({ kind: 'soak', rate: 2 });
  const deployed = parse(readFileSync(join(folder, 'runs/01-webhook-ack/values.given.yaml'), 'utf8')) as object;
  expect(deployed).toMatchObject({ main: { heap: { n8n: 1051 } }, capacity: { recordedRate: { 'webhook-ack': 2 } } });

  // The database was not empty, and its old rows are not counted.
  const [rows] = readJsonLines<RowsRecord>(join(folder, 'soaks/webhook-ack/rows.ndjson'));
  expect(rows!.rows.execution_entity).toBeGreaterThanOrEqual(2000);
  for (const { executions } of readJsonLines<StepRecord>(join(folder, 'runs/01-webhook-ack/steps.ndjson')))
    expect(executions!.completed).toBe(executions!.accepted);

  // No configuration is recommended.
  expect(existsSync(join(folder, 'values.recommended.yaml'))).toBe(false);
  const printed = await cli('recommend', folder);
  expect({ exitCode: printed.exitCode, stdout: printed.stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect((await cli('report', folder, '--json')).stdout).toBe(stdout);

  const written = () => statSync(join(folder, 'runs/01-webhook-ack/steps.ndjson')).mtimeMs;
  const before = written();
  const again = await cli(...command, ...short);
  expect({ exitCode: again.exitCode, stdout: again.stdout, written: written() }).toEqual({
    exitCode: 2,
    stdout,
    written: before,
  });
  const other = await cli(...command, ...short, '--deployments', '4');
  expect(other.exitCode).toBe(3);
  expect(other.stderr).toContain('other options');
});
