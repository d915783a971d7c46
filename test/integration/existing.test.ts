import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { startN8n, type RunningN8n } from '../browser/n8n.js';
import { until } from '../browser/until.js';
import { BIN, LENIENT, printed, runValidate, startValidate } from './cli.js';

jest.setTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'existing-'));
let n8n: RunningN8n;
let where: string[];

const METRICS = {
  N8N_METRICS: 'true',
  N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS: 'true',
  N8N_METRICS_INCLUDE_WORKFLOW_ID_LABEL: 'true',
};
const reach = async (started: RunningN8n) => {
  process.env.N8N_API_KEY = await apiKey(started.url);
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

/** Makes the owner of a new n8n, and a key of its API. */
async function apiKey(url: string): Promise<string> {
  const owner = { email: 'owner@example.com', firstName: 'Ada', lastName: 'Lovelace', password: 'Correct-Horse-1' };
  const post = (path: string, body: object, cookie = '') =>
    fetch(`${url}/rest/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'browser-id': 'test', cookie },
      body: JSON.stringify(body),
    });
  const setUp = await post('owner/setup', owner);
  const cookie = setUp.headers
    .getSetCookie()
    .map((c) => c.split(';')[0])
    .join('; ');
  const scopes = [
    ...['workflow:create', 'workflow:read', 'workflow:list', 'workflow:delete', 'workflow:activate'],
    ...['workflow:deactivate', 'credential:create', 'credential:list', 'credential:delete', 'execution:list'],
  ];
  const answer = await (await post('api-keys', { label: 'test', expiresAt: null, scopes }, cookie)).text();
  const { data } = JSON.parse(answer) as { data?: { rawApiKey?: string } };
  if (!data?.rawApiKey) throw new Error(`n8n gave no API key: ${setUp.status} ${answer}`);
  return data.rawApiKey;
}

/** An answer of n8n's public API. */
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
async function content(of = n8n): Promise<string[]> {
  const list = async (path: string) => (await api<{ data: { name: string }[] }>('GET', path, undefined, of)).data;
  return [...(await list('workflows')), ...(await list('credentials'))].map(({ name }) => name);
}

/** n8n unpublishes in its own time, and answers 409 until it has. */
async function removed(id: string): Promise<void> {
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

const SHORT = ['--rates', '4/s', '--step-duration', '8s', '--warmup', '2s', ...LENIENT];

test('a load target is imported through the API, driven, counted by the list of executions, and removed', async () => {
  const run = await runValidate(...where, '--workload', 'webhook-ack', ...SHORT);
  expect({ code: run.exitCode, err: run.stderr }).toEqual({ code: 0, err: expect.any(String) });
  expect(run.steps[0]!.executions).toMatchObject({ completed: run.steps[0]!.executions!.accepted, failed: 0 });
  expect(run.run.deployment).toMatchObject({ provisioner: 'existing', mode: 'unknown', versionFrom: '/metrics' });
  expect(run.run.versions.n8n).toBe('2.41.1');
  expect(run.conclusion.values).toBeUndefined();
  expect(readFileSync(join(run.folder, 'run.json'), 'utf8')).not.toContain(process.env.N8N_API_KEY!);
  expect(await content()).toEqual([]);
});

test('counted by the metrics of its processes, where they are given', async () => {
  const run = await runValidate(...where, '--metrics-url', `${n8n.url}/metrics`, '--workload', 'webhook-ack', ...SHORT);
  expect({ code: run.exitCode, err: run.stderr }).toEqual({ code: 0, err: expect.any(String) });
  expect(run.steps[0]!.executions).toMatchObject({ completed: run.steps[0]!.executions!.accepted, failed: 0 });
  expect(run.samples.some((s) => (s.instances[0]!.heapUsedBytes ?? 0) > 0)).toBe(true);
});

test('a workflow that fails ends the step early, and the run', async () => {
  const webhook = { httpMethod: 'GET', path: 'fails', responseMode: 'lastNode', options: {} };
  const node = { typeVersion: 1, position: [0, 0] };
  const nodes = [
    { ...node, id: 'a', name: 'Webhook', type: 'n8n-nodes-base.webhook', webhookId: 'fails', parameters: webhook },
    { ...node, id: 'b', name: 'Fail', type: 'n8n-nodes-base.stopAndError', parameters: { errorMessage: 'no' } },
  ];
  const connections = { Webhook: { main: [[{ node: 'Fail', type: 'main', index: 0 }]] } };
  const file = join(folder, 'fails.json');
  writeFileSync(file, JSON.stringify({ name: 'Fails', nodes, connections }));
  const started = Date.now();
  const steps = ['--rates', '4/s,5/s', '--step-duration', '60s', '--warmup', '2s'];
  const run = await runValidate(...where, '--workflow', file, ...steps);
  expect(run.exitCode).toBe(1);
  expect(run.steps).toHaveLength(1);
  expect(Date.now() - started).toBeLessThan(60_000);
  expect(await content()).toEqual([]);
});

test('a webhook that is there already is driven, its executions are counted, and it stays', async () => {
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
  // What it has done before does not count.
  await fetch(`${n8n.url}/webhook/there`, { method: 'POST' });
  try {
    const run = await runValidate(...where, ...call, ...SHORT);
    expect({ code: run.exitCode, err: run.stderr }).toEqual({
      code: 0,
      err: expect.stringContaining('starts "There"'),
    });
    const [step] = run.steps;
    expect(step!.executions!.accepted).toBeGreaterThanOrEqual(20);
    expect(step!.executions).toMatchObject({ completed: step!.executions!.accepted, failed: 0 });
    expect(await content()).toEqual(['There']);

    const unknown = await startValidate(...where, '--webhook', '/webhook/nowhere', ...SHORT).child;
    expect(unknown.exitCode).toBe(3);
    expect(unknown.stderr).toContain('sees no active workflow that serves it with GET');
  } finally {
    await api('POST', `workflows/${id}/deactivate`, {});
    await removed(id);
  }
});

test('what a run leaves that was killed, clean shows and removes', async () => {
  const { child } = startValidate(...where, '--workload', 'webhook-ack', '--rates', '2/s', '--step-duration', '60s');
  await printed(child, /webhook-ack at 2\/s/);
  child.kill('SIGKILL');
  await child;
  expect(await content()).toEqual([
    expect.stringMatching(/^n8n-capacity: webhook-ack \(\w+\)$/),
    expect.stringMatching(/^n8n-capacity: n8n-tuned load target \(\w+\)$/),
  ]);
  const clean = (...args: string[]) =>
    execa(process.execPath, [BIN, 'clean', '--url', n8n.url, ...args], { reject: false, stdin: 'ignore' });
  const asked = await clean();
  expect(asked.exitCode).toBe(3);
  expect(asked.stdout).toContain('n8n-capacity: webhook-ack');
  expect(asked.stderr).toContain('add --yes to remove these');
  expect((await clean('--yes')).stdout).toContain('removed 2 from');
  expect(await content()).toEqual([]);
  expect((await clean()).stdout).toContain('nothing of n8n-capacity is left');
});

test('Ctrl-C under load takes everything out again', async () => {
  const { child } = startValidate(...where, '--workload', 'webhook-ack', '--rates', '2/s', '--step-duration', '60s');
  await printed(child, /webhook-ack at 2\/s/);
  await until('the workflow is there', 10, async () => (await content()).length === 2);
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
  expect(await content()).toEqual([]);
});

test('where n8n-nodes-tuned is not installed, load targets are made of built-in nodes, and the record says so', async () => {
  const other = mkdtempSync(join(tmpdir(), 'existing-bare-'));
  const bare = await startN8n(other, { bare: true });
  try {
    const workloads = ['webhook-ack', 'webhook-wait', 'webhook-ack-wait', 'cpu-burn'];
    const run = await runValidate(
      ...(await reach(bare)),
      ...workloads.flatMap((name) => ['--workload', name]),
      ...['--query', 'seconds=1', '--query', 'n=1000'],
      ...SHORT,
      ...['--rates', '3/s'],
    );
    expect({ code: run.exitCode, err: run.stderr }).toEqual({ code: 0, err: expect.any(String) });
    expect(run.run.deployment.builtIn).toEqual(workloads);
    expect(run.run.versions.n8n).toBe('2.41.1');
    expect(run.run.deployment.versionFrom).toBe('the page of the editor');
    for (const step of run.steps)
      expect(step.executions).toMatchObject({ completed: step.executions!.accepted, failed: 0 });
    expect(await content(bare)).toEqual([]);
  } finally {
    await bare.stop();
  }
});
