import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { NotReady } from '../../capacity/src/core/errors.js';
import { chartFolder } from '../../capacity/src/core/paths.js';
import { terminalProgress } from '../../capacity/src/core/progress.js';
import type { RunVerdict } from '../../capacity/src/model/verdict.js';
import { processProvisioner } from '../../capacity/src/provision/process/process-provisioner.js';
import type { Launch } from '../../capacity/src/provision/process/supervise.js';
import { readRun } from '../../capacity/src/record/recorder.js';
import { buildPlan } from '../capacity/support/index.js';
import {
  reasonCodes,
  expectNothingLeft,
  killStarted,
  LENIENT,
  profile,
  runValidate,
  SHORT,
  startValidate,
  waitForFile,
} from './cli.js';

/** Components that die under load, by themselves or killed by the test. */

jest.setTimeout(600_000);

expectNothingLeft();

/** Runs a validation, and kills its processes that match one of the patterns in the middle of the step. */
async function killUnderLoad(patterns: RegExp[], ...args: string[]) {
  const load = [
    '--workload',
    'webhook-ack',
    '--rates',
    '4/s',
    '--step-duration',
    '10s',
    '--warmup',
    '2s',
    '--no-overload',
    ...LENIENT,
  ];
  const started = startValidate(...args, ...load);
  await waitForFile(started, 'steps/00-webhook-ack.csv.gz');
  await sleep(5000);
  for (const pattern of patterns) await killStarted(started.child, pattern);
  const { exitCode } = await started.child;
  const verdict = JSON.parse(readFileSync(join(started.folder, 'verdict.json'), 'utf8')) as RunVerdict;
  const { steps } = await readRun(started.folder);
  return { exitCode, verdict: verdict.verdict, codes: reasonCodes(verdict), events: steps[0]!.events };
}

test('a deployment that dies under load is a FAIL that names the limit it reached and a value to change', async () => {
  const { exitCode, conclusion, steps } = await runValidate(
    ...['--workload', 'memory-hog', '--query', 'mb=700', '--query', 'ms=2000', '--rates', '5/s'],
    ...['--set', 'main.resources.limits.memory=1Gi', '--timeout', '15s'],
    ...[...SHORT, ...LENIENT],
  );
  expect({ exitCode, verdict: conclusion.verdict.verdict }).toEqual({ exitCode: 1, verdict: 'FAIL' });
  expect(reasonCodes(conclusion.verdict)[0]).toBe('died');
  expect(steps[0]!.events.find(({ kind }) => kind === 'died')).toMatchObject({
    instance: 'n8n-tuned-main-0',
    reason: expect.stringMatching(/^(V8HeapLimit|OOMKilled)$/),
  });
  expect(conclusion.recommendation!.title).toMatch(/main\.(heap\.n8n|resources\.limits\.memory)/);
});

test('a task runner that dies under load is a FAIL, though n8n replaces it and logs nothing', async () => {
  const { exitCode, events } = await killUnderLoad([/@n8n\/task-runner/]);
  expect(exitCode).toBe(1);
  expect(events).toEqual([expect.objectContaining({ instance: 'n8n-tuned-main-0', kind: 'runner-died' })]);
});

test('Redis and PostgreSQL that die under load give a FAIL that names both', async () => {
  const one = ['--set', 'worker.replicas=1', '--set', 'webhook.replicas=1'];
  const result = await killUnderLoad([/redis-server/, /\/postgres -D /], ...profile('queue'), ...one);
  expect(result).toMatchObject({ exitCode: 1, verdict: 'FAIL' });
  expect(result.codes[0]).toBe('died');
  const died = result.events.filter(({ kind }) => kind === 'died').map(({ component }) => component);
  expect(died).toEqual(expect.arrayContaining(['redis', 'postgresql']));
});

test('if Redis does not start, the wait ends at once with the end of its log, and nothing is left', async () => {
  const adapt = (launch: Launch) =>
    launch.component === 'redis' ? { ...launch, command: 'sh', args: ['-c', 'echo no memory; exit 1'] } : launch;
  const values = { files: [join(chartFolder, 'profiles', 'queue.yaml')], set: [] };
  const prepared = await processProvisioner({ adapt }).prepare(buildPlan({ values }), terminalProgress(true));
  const error: unknown = await prepared.deploy(mkdtempSync(join(tmpdir(), 'deaths-'))).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(NotReady);
  expect(error).toMatchObject({ instance: 'n8n-tuned-redis-0', log: expect.stringContaining('no memory') });
});

test('if n8n does not start, the exit code is 3, with the end of its log and the path of the log', async () => {
  const { child, folder } = startValidate(
    ...['--workload', 'webhook-ack', '--set', 'heap.enabled=false'],
    ...['--set', 'extraEnv[0].name=NODE_OPTIONS,extraEnv[0].value=--max-old-space-size=40'],
  );
  const { exitCode, stderr } = await child;
  expect(exitCode).toBe(3);
  expect(stderr).toContain('heap out of memory');
  expect(stderr).toContain(join(folder, 'logs', 'import.log'));
});
