import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { S3Server } from '../support/s3-server.js';
import { startN8n, type RunningN8n } from '../browser/n8n.js';
import type { RunConclusion, RunVerdict } from '../../capacity/src/model/verdict.js';
import { createApiKey } from './owner.js';
import { TESTED_N8N } from '../support/versions.js';
import {
  cli,
  cliWith,
  reasonCodes,
  killStarted,
  LENIENT,
  runValidate,
  SLOW,
  startValidate,
  waitForFile,
  expectPass,
} from './cli.js';

jest.setTimeout(600_000);

/** File that a run writes when its first step is under load. */
const STEP = 'steps/00-webhook-ack.csv.gz';

const folder = mkdtempSync(join(tmpdir(), 'existing-'));
let n8n: RunningN8n;
let where: string[];

const METRICS = {
  N8N_METRICS: 'true',
  N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS: 'true',
  N8N_METRICS_INCLUDE_WORKFLOW_ID_LABEL: 'true',
};
const reach = async (started: RunningN8n) => {
  process.env.N8N_API_KEY = await createApiKey(started.url);
  return ['--provisioner', 'existing', '--url', started.url, '--max-rate', '5/s'];
};

beforeAll(async () => {
  n8n = await startN8n(folder, { env: METRICS });
  where = await reach(n8n);
});
afterAll(async () => {
  delete process.env.N8N_API_KEY;
  await n8n?.stop();
});

/** Calls n8n's public API; returns its answer. */
async function api<T>(method: string, path: string, body?: object, { url } = n8n): Promise<T> {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method,
    headers: { 'x-n8n-api-key': process.env.N8N_API_KEY!, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

/** Names of all workflows and credentials in that n8n. */
async function listContent(of = n8n): Promise<string[]> {
  const list = async (path: string) => (await api<{ data: { name: string }[] }>('GET', path, undefined, of)).data;
  return [...(await list('workflows')), ...(await list('credentials'))].map(({ name }) => name);
}

/** Deletes a workflow. n8n unpublishes it asynchronously, and answers 409 until then. */
async function removeWorkflow(id: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const error = await api('DELETE', `workflows/${id}`).then(
      () => undefined,
      (reason: Error) => reason,
    );
    if (error === undefined) return;
    if (attempt === 30 || !error.message.includes('HTTP 409')) throw error;
    await sleep(500);
  }
}

const LOAD = [...SLOW, ...LENIENT];

test('a load target is imported through the API, driven, counted by the list of executions, and removed', async () => {
  const run = await runValidate(...where, '--workload', 'webhook-ack', ...LOAD);
  expectPass(run);
  expect(run.steps[0]!.executions).toMatchObject({ completed: run.steps[0]!.executions!.accepted, failed: 0 });
  expect(run.run.deployment).toMatchObject({ provisioner: 'existing', mode: 'unknown', versionFrom: '/metrics' });
  expect(run.run.versions.n8n).toBe(TESTED_N8N);
  expect(run.conclusion.values).toBeUndefined();
  expect(readFileSync(join(run.folder, 'run.json'), 'utf8')).not.toContain(process.env.N8N_API_KEY!);
  expect(await listContent()).toEqual([]);
});

test('executions are counted by the metrics of the given processes; a sub-workflow is imported but not counted', async () => {
  const run = await runValidate(...where, '--metrics-url', `${n8n.url}/metrics`, '--workload', 'sub-workflow', ...LOAD);
  expectPass(run);
  expect(run.steps[0]!.executions).toMatchObject({ completed: run.steps[0]!.executions!.accepted, failed: 0 });
  expect(run.samples.some((s) => (s.instances[0]!.heapUsedBytes ?? 0) > 0)).toBe(true);
  expect(await listContent()).toEqual([]);
});

test('a run is recorded in S3 while it runs, and report gives the same verdict from there', async () => {
  const server = await S3Server.start();
  try {
    const bucket = server.createBucket('runs');
    const env = server.environment;
    const s3 = (...args: string[]) => cliWith(env, ...args);
    const load = ['--workload', 'webhook-ack', ...LOAD];
    const { exitCode, stdout, stderr } = await s3('validate', '-o', 's3://runs/run', '--json', ...where, ...load);
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
    const objects = join(bucket, 'run');
    for (const name of ['run.json', 'steps.ndjson', 'samples.ndjson', 'report.html', STEP])
      expect(existsSync(join(objects, name))).toBe(true);
    const again = await s3('report', 's3://runs/run', '--json');
    const verdict = (text: string) => (JSON.parse(text) as RunConclusion).verdict;
    expect(verdict(again.stdout)).toEqual(verdict(stdout));
    const everything = readdirSync(objects, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    for (const secret of [env.AWS_SECRET_ACCESS_KEY!, process.env.N8N_API_KEY!])
      expect(everything.join('\n')).not.toContain(secret);
  } finally {
    await server.remove();
  }
});

test('k6 killed in the middle of a step: INCONCLUSIVE', async () => {
  const started = startValidate(...where, '--workload', 'webhook-ack', ...['--rates', '4/s', '--step-duration', '60s']);
  await waitForFile(started, STEP);
  await sleep(3000);
  await killStarted(started.child, /\/k6 run /);
  expect((await started.child).exitCode).toBe(2);
  const verdict = JSON.parse(readFileSync(join(started.folder, 'verdict.json'), 'utf8')) as RunVerdict;
  expect(verdict.verdict).toBe('INCONCLUSIVE');
  expect(reasonCodes(verdict)).toContain('k6');
});

test('a failing workflow ends the step and the run early', async () => {
  const webhook = { httpMethod: 'GET', path: 'fails', responseMode: 'lastNode', options: {} };
  const node = { typeVersion: 1, position: [0, 0] };
  const nodes = [
    { ...node, id: 'a', name: 'Webhook', type: 'n8n-nodes-base.webhook', webhookId: 'fails', parameters: webhook },
    { ...node, id: 'b', name: 'Fail', type: 'n8n-nodes-base.stopAndError', parameters: { errorMessage: 'no' } },
  ];
  const connections = { Webhook: { main: [[{ node: 'Fail', type: 'main', index: 0 }]] } };
  const file = join(folder, 'fails.json');
  writeFileSync(file, JSON.stringify({ name: 'Fails', nodes, connections }));
  const steps = ['--rates', '4/s,5/s', '--step-duration', '60s', '--warmup', '2s'];
  const run = await runValidate(...where, '--workflow', file, ...steps);
  expect(run.exitCode).toBe(1);
  expect(run.steps).toHaveLength(1);
  expect(run.steps[0]!.aborted).toBe(true);
  expect(await listContent()).toEqual([]);
});

test('an existing webhook is driven and its executions are counted; it is not removed', async () => {
  const parameters = { httpMethod: 'POST', path: 'there', responseMode: 'lastNode', options: {} };
  const node = { typeVersion: 1, position: [0, 0] };
  const nodes = [
    { ...node, id: 'a', name: 'Webhook', type: 'n8n-nodes-base.webhook', webhookId: 'there', parameters },
    { ...node, id: 'b', name: 'Nothing', type: 'n8n-nodes-base.noOp', parameters: {} },
  ];
  const connections = { Webhook: { main: [[{ node: 'Nothing', type: 'main', index: 0 }]] } };
  const settings = { saveDataSuccessExecution: 'all' };
  const { id } = await api<{ id: string }>('POST', 'workflows', { name: 'There', nodes, connections, settings });
  await api('POST', `workflows/${id}/activate`, {});
  const body = join(folder, 'body.json');
  writeFileSync(body, '{"price": 21}');
  const call = ['--webhook', '/webhook/there', '--method', 'POST', '--body', body];
  // Earlier executions do not count.
  await fetch(`${n8n.url}/webhook/there`, { method: 'POST' });
  try {
    const run = await runValidate(...where, ...call, ...LOAD);
    expectPass(run);
    expect(run.stderr).toContain('"There"');
    const [step] = run.steps;
    expect(step!.executions!.accepted).toBeGreaterThanOrEqual(20);
    expect(step!.executions).toMatchObject({ completed: step!.executions!.accepted, failed: 0 });
    expect(await listContent()).toEqual(['There']);

    const unknown = await startValidate(...where, '--webhook', '/webhook/nowhere', ...LOAD).child;
    expect(unknown.exitCode).toBe(3);
    expect(unknown.stderr).toContain('/webhook/nowhere');
  } finally {
    await api('POST', `workflows/${id}/deactivate`, {});
    await removeWorkflow(id);
  }
});

const UNDER_LOAD = ['--workload', 'webhook-ack', '--rates', '2/s', '--step-duration', '60s'];

test('clean shows and removes the workflows and credentials of a killed run', async () => {
  const started = startValidate(...where, ...UNDER_LOAD);
  await waitForFile(started, STEP);
  started.child.kill('SIGKILL');
  await started.child;
  expect(await listContent()).toEqual([
    expect.stringMatching(/webhook-ack \(\w+\)$/),
    expect.stringMatching(/load target \(\w+\)$/),
  ]);
  const asked = await cli('clean', '--url', n8n.url);
  expect(asked.exitCode).toBe(3);
  expect(asked.stdout).toContain('webhook-ack');
  expect(asked.stderr).toContain('--yes');
  expect(await listContent()).toHaveLength(2);
  expect((await cli('clean', '--url', n8n.url, '--yes')).exitCode).toBe(0);
  expect(await listContent()).toEqual([]);
  expect((await cli('clean', '--url', n8n.url)).exitCode).toBe(0);
});

test('Ctrl-C under load removes everything that was imported', async () => {
  const started = startValidate(...where, ...UNDER_LOAD);
  await waitForFile(started, STEP);
  expect(await listContent()).toHaveLength(2);
  started.child.kill('SIGINT');
  expect((await started.child).exitCode).toBe(130);
  expect(await listContent()).toEqual([]);
});

test('without n8n-nodes-tuned, load targets use built-in nodes, and the record says so', async () => {
  const other = mkdtempSync(join(tmpdir(), 'existing-bare-'));
  const bare = await startN8n(other, { bare: true });
  try {
    const workloads = ['webhook-ack', 'webhook-wait', 'webhook-ack-wait', 'cpu-burn'];
    const mix = join(other, 'mix.yaml');
    writeFileSync(mix, workloads.map((name) => `${name}: 1\n`).join(''));
    const load = ['--mix', mix, '--query', 'seconds=0.3', '--query', 'n=1000', ...SLOW, ...LENIENT];
    const run = await runValidate(...(await reach(bare)), ...load);
    // With few requests the rate holds, but proves nothing if a wait is under way at the end.
    expect(run.conclusion.verdict.verdict).not.toBe('FAIL');
    expect(run.steps[0]!.summary).toMatchObject({ failed: 0, dropped: 0 });
    expect(run.run.deployment.builtIn).toEqual(workloads);
    expect(run.run.versions.n8n).toBe(TESTED_N8N);
    expect(run.run.deployment.versionFrom).toBeDefined();
    for (const step of run.steps)
      expect(step.executions).toMatchObject({ completed: step.executions!.accepted, failed: 0 });
    expect(await listContent(bare)).toEqual([]);
  } finally {
    await bare.stop();
  }
});
