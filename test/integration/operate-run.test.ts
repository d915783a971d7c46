import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { execa } from 'execa';
import getPort from 'get-port';
import { chartFolder } from '../../capacity/src/core/paths.js';
import { terminalProgress } from '../../capacity/src/core/progress.js';
import { postgresLedger } from '../../capacity/src/features/faults/ledger/postgres.js';
import type { Ledger } from '../../capacity/src/features/faults/ledger/ledger.js';
import { WEBHOOK, WORKFLOW_ID } from '../../capacity/src/features/faults/workflow.js';
import type { Deployment } from '../../capacity/src/model/deployment.js';
import { readPostgresAddress } from '../../capacity/src/observe/postgres.js';
import { buildPlan } from '../capacity/support/index.js';
import { accountedProvisioner } from './accounted.js';
import { expectNothingLeft } from './cli.js';
import { Owner } from '../../capacity/src/provision/owner.js';
import { runByHand } from './owner.js';
import { runtimes } from './workflows/runtimes.js';

/**
 * Runs the workflows of workflows/operate in a real n8n in queue mode, imported and set as their README says. The test
 * changes only the fields of Settings, the ids of credentials, and times that are too long for a test.
 */

jest.setTimeout(600_000);

expectNothingLeft();

const WORK_SECONDS = 3;
const WORKER_CONCURRENCY = 5;
const SCOPES = [
  ...['tag:create', 'workflowTags:update', 'workflow:create', 'workflow:list', 'workflow:activate'],
  ...['workflow:deactivate', 'credential:create', 'execution:list', 'execution:read', 'execution:retry'],
];

interface Node {
  name: string;
  type: string;
  parameters: Record<string, any>;
  credentials?: Record<string, { id: string; name: string }>;
}
interface Execution {
  status: string;
  data: { resultData: { runData: Record<string, { data?: { main: { json: object }[][] } }[]> } };
}

const logs = mkdtempSync(join(tmpdir(), 'operate-logs-'));
let deployment: Deployment;
let ledger: Ledger;
let owner: Owner;
let main: string;
let key: string;
let requests = 0;
const credentials = new Map<string, string>();

/** Messages that the workflows sent. */
const messages: any[] = [];
let inbox: Server;

beforeAll(async () => {
  inbox = createServer((request, response) => {
    void json(request).then((message) => {
      messages.push(message);
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(inbox, 'listening');
  const provisioner = accountedProvisioner(WORK_SECONDS);
  const files = [join(chartFolder, 'profiles', 'queue.yaml')];
  const set = ['worker.replicas=1', `worker.concurrency=${WORKER_CONCURRENCY}`];
  deployment = await (
    await provisioner.prepare(buildPlan({ values: { files, set } }), terminalProgress(true))
  ).deploy(logs);
  const { environment } = deployment.injector!;
  ledger = postgresLedger(readPostgresAddress(environment)!);
  await ledger.make();
  main = `http://127.0.0.1:${environment.N8N_PORT}`;
  owner = await Owner.of(main);
  key = await owner.apiKey(SCOPES);
  await makeCredentials(environment);
});
afterAll(async () => {
  inbox?.close();
  await deployment?.teardown();
  rmSync(logs, { recursive: true });
});

async function api<T = unknown>(method: string, path: string, body?: object): Promise<T> {
  const headers = { 'x-n8n-api-key': key, 'content-type': 'application/json' };
  const answer = await fetch(`${main}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Creates the credentials that the README names. */
async function makeCredentials(environment: Record<string, string>): Promise<void> {
  const queue = {
    ...{ host: environment.QUEUE_BULL_REDIS_HOST, port: Number(environment.QUEUE_BULL_REDIS_PORT) },
    ...{ password: environment.QUEUE_BULL_REDIS_PASSWORD ?? '', queue: 'jobs' },
    prefix: environment.QUEUE_BULL_PREFIX ?? 'bull',
  };
  const make = async (name: string, type: string, data: object) => {
    const { id } = await api<{ id: string }>('POST', '/credentials', { name, type, data });
    credentials.set(name, id);
  };
  await make('n8n-tuned queue', 'bullQueueApi', queue);
  await make('n8n-tuned queue with changes', 'bullQueueApi', { ...queue, allowChanges: true });
  await make('n8n-tuned n8n API', 'n8nApi', { apiKey: key, baseUrl: `${main}/api/v1` });
}

/** Imports a workflow with these fields in Settings, after `change` of each node; returns its id. */
async function importWorkflow(
  file: string,
  settings: Record<string, unknown> = {},
  change?: (node: Node) => void,
): Promise<string> {
  const path = join(import.meta.dirname, `../../workflows/operate/${file}.json`);
  const { id: _, active: __, ...workflow } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  const nodes = workflow.nodes as Node[];
  for (const node of nodes) {
    for (const credential of Object.values(node.credentials ?? {})) credential.id = credentials.get(credential.name)!;
    change?.(node);
  }
  const fields: { name: string; value: unknown }[] =
    nodes.find(({ name }) => name === 'Settings')?.parameters.assignments.assignments ?? [];
  for (const [name, value] of Object.entries(settings)) {
    const field = fields.find((each) => each.name === name);
    if (!field) throw new Error(`Settings of ${file} has no ${name}`);
    field.value = value;
  }
  return (await api<{ id: string }>('POST', '/workflows', workflow)).id;
}

/** Waits for the end of an execution; returns it. */
async function waitForEnd(id: string): Promise<Execution> {
  return waitUntil(`execution ${id} ends`, async () => {
    const execution = await api<Execution>('GET', `/executions/${id}?includeData=true`);
    return ['new', 'running', 'waiting', 'unknown'].includes(execution.status) ? undefined : execution;
  });
}

async function waitUntil<T>(what: string, look: () => Promise<T | undefined>, seconds = 240): Promise<T> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(500)) {
    const seen = await look();
    if (seen !== undefined) return seen;
  }
  throw new Error(`not within ${seconds} s: ${what}`);
}

/** Sends requests, and expects that all are accepted. */
async function sendRequests(count: number): Promise<void> {
  const { endpoints, token } = deployment.access;
  for (let i = 0; i < count; i++) {
    const id = requests++;
    const answer = await fetch(`${endpoints[id % endpoints.length]}${WEBHOOK}?id=${id}`, {
      headers: { 'x-load-target-token': token },
    });
    expect(answer.status).toBe(200);
  }
}

/** Ids of the requests whose execution has begun, and of those whose work is done. */
async function readProgress(): Promise<{ begun: Set<string>; done: Set<string> }> {
  const { ledger: entries } = await ledger.read(WORKFLOW_ID);
  const ids = (wanted: string) => new Set(entries.flatMap(({ id, event }) => (event === wanted ? [id] : [])));
  return { begun: ids('begun'), done: ids('done') };
}
const allDone = () =>
  waitUntil('all requests are done', async () => ((await readProgress()).done.size === requests ? true : undefined));

const messageUrl = () => `http://127.0.0.1:${(inbox.address() as AddressInfo).port}/`;
const nextMessage = (after: number) => waitUntil('a message', () => Promise.resolve(messages[after]));

test('maintenance-window: nothing runs between its message and its end; requests from this time are done afterwards', async () => {
  const id = await importWorkflow('maintenance-window', { messageUrl: messageUrl(), drainSeconds: 60 }, (node) => {
    if (node.name === 'Maintenance') node.parameters.amount = 10;
  });
  await sendRequests(3);
  const before = messages.length;
  const execution = await runByHand(owner, id, 'By hand');
  expect(await nextMessage(before)).toMatchObject({ text: expect.stringMatching(/paused and no execution runs/) });
  // Executions that a worker had taken are done, and those that waited have not begun.
  const atMessage = await readProgress();
  expect(atMessage.begun).toEqual(atMessage.done);
  await sendRequests(2);
  await sleep(4000);
  expect((await readProgress()).begun).toEqual(atMessage.begun);
  expect((await waitForEnd(execution)).status).toBe('success');
  await allDone();
});

test('maintenance-window: if the queue does not drain in time, the window is cancelled and the queue resumes', async () => {
  const id = await importWorkflow('maintenance-window', { messageUrl: messageUrl(), drainSeconds: 1 });
  await sendRequests(WORKER_CONCURRENCY);
  await waitUntil('they run', async () => ((await readProgress()).begun.size === requests ? true : undefined));
  const before = messages.length;
  expect((await waitForEnd(await runByHand(owner, id, 'By hand'))).status).toBe('success');
  expect(messages[before]).toMatchObject({ text: expect.stringMatching(/cancelled/) });
  await sendRequests(1);
  await allDone();
});

/** Pauses the queue and ends, as if n8n had died. */
async function leavePaused(): Promise<void> {
  const id = await importWorkflow('maintenance-window', { messageUrl: messageUrl() }, (node) => {
    if (node.name === 'Wait Until Drained') node.parameters = { operation: 'stats', window: -1 };
    if (node.name === 'Wait Until Drained') Object.assign(node, { onError: 'stopWorkflow' });
  });
  expect((await waitForEnd(await runByHand(owner, id, 'By hand'))).status).toBe('error');
  await sendRequests(1);
  await sleep(3000);
  expect((await readProgress()).begun.size).toBe(requests - 1);
}

test('maintenance-window leaves a pause that it did not make; resume-queue lifts it', async () => {
  await leavePaused();
  const id = await importWorkflow('maintenance-window', { messageUrl: messageUrl() });
  const before = messages.length;
  expect((await waitForEnd(await runByHand(owner, id, 'By hand'))).status).toBe('success');
  expect(messages[before]).toMatchObject({ text: expect.stringMatching(/paused already/) });
  await sleep(3000);
  expect((await readProgress()).begun.size).toBe(requests - 1);
  expect((await waitForEnd(await runByHand(owner, await importWorkflow('resume-queue'), 'By hand'))).status).toBe(
    'success',
  );
  await allDone();
});

test("resume-queue works by n8n's command line, while each execution from the editor would wait in the queue", async () => {
  await leavePaused();
  const id = await importWorkflow('resume-queue');
  const { environment } = deployment.injector!;
  const env = { ...environment, N8N_RUNNERS_BROKER_PORT: String(await getPort()) };
  const { node, n8n } = runtimes.at(-1)!;
  const { exitCode, all } = await execa(node, [n8n, 'execute', `--id=${id}`], { env, all: true, reject: false });
  expect({ exitCode, all: exitCode === 0 ? '' : all }).toEqual({ exitCode: 0, all: '' });
  await allDone();
});

test('backlog-alarm sends one message when a backlog begins and one when it ends', async () => {
  const settings = {
    messageUrl: messageUrl(),
    raiseWaiting: 8,
    clearWaiting: 2,
    raiseAgeSeconds: 3600,
    clearAgeSeconds: 3600,
  };
  const id = await importWorkflow('backlog-alarm', settings, (node) => {
    if (node.name === 'Schedule') node.parameters.rule.interval = [{ field: 'seconds', secondsInterval: 3 }];
  });
  expect((await waitForEnd(await runByHand(owner, id, 'Set Up'))).status).toBe('success');
  const before = messages.length;
  await api('POST', `/workflows/${id}/activate`);
  try {
    // More than the worker takes, until the alarm sees the backlog.
    await waitUntil('the alarm', async () => {
      await sendRequests(2);
      return messages.length > before ? true : undefined;
    });
    expect(messages[before]).toMatchObject({
      alarm: true,
      text: expect.stringMatching(/^Backlog: \d+ executions wait/),
    });
    expect(await nextMessage(before + 1)).toMatchObject({ alarm: false, text: expect.stringMatching(/^No backlog/) });
    await allDone();
    // It runs again at least once, without a message.
    await sleep(7000);
    expect(messages).toHaveLength(before + 2);
  } finally {
    await api('POST', `/workflows/${id}/deactivate`);
  }
});

test('Bull Queue Trigger starts its workflow when a backlog begins and when it ends, and remembers the state', async () => {
  const main = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });
  const queue = { id: credentials.get('n8n-tuned queue')!, name: 'n8n-tuned queue' };
  const { id } = await api<{ id: string }>('POST', '/workflows', {
    name: 'trigger',
    settings: {},
    connections: { Backlog: main('Message') },
    nodes: [
      {
        ...{ id: '1', name: 'Backlog', type: 'n8n-nodes-tuned.bullQueueTrigger', typeVersion: 1, position: [0, 0] },
        parameters: { watch: 'waiting', beginsAbove: 4, endsBelow: 1 },
        credentials: { bullQueueApi: queue },
      },
      {
        ...{ id: '2', name: 'Message', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, position: [200, 0] },
        parameters: {
          ...{ method: 'POST', url: messageUrl(), sendBody: true, specifyBody: 'json' },
          jsonBody: '={{ JSON.stringify($json) }}',
        },
      },
    ],
  });
  const before = messages.length;
  // n8n reads the queue when it activates the workflow, and each minute.
  const activate = () => api('POST', `/workflows/${id}/activate`);
  const deactivate = () => api('POST', `/workflows/${id}/deactivate`);
  await activate();
  try {
    await deactivate();
    await sendRequests(WORKER_CONCURRENCY + 8);
    await activate();
    expect(await nextMessage(before)).toMatchObject({ event: 'began', watch: 'waiting', waiting: expect.any(Number) });
    expect(messages[before].value).toBeGreaterThan(4);
    await allDone();
    await deactivate();
    await activate();
    expect(await nextMessage(before + 1)).toMatchObject({
      event: 'ended',
      value: 0,
      beganAt: messages[before].beganAt,
    });
    await deactivate();
    await activate();
    await sleep(3000);
    expect(messages).toHaveLength(before + 2);
  } finally {
    await deactivate();
  }
});

test('rescue-by-hand retries crashed executions of tagged workflows, and none twice', async () => {
  const id = await importWorkflow('rescue-by-hand', { apiUrl: `${main}/api/v1` });
  await sendRequests(WORKER_CONCURRENCY);
  await waitUntil('they run', async () => ((await readProgress()).begun.size === requests ? true : undefined));
  expect(await deployment.injector!.kill('worker', 'one', new AbortController().signal)).toMatch(/^SIGKILL/);
  const crashed = () =>
    ledger.read(WORKFLOW_ID).then(({ executions }) => executions.filter(({ status }) => status === 'crashed').length);
  const lost = await waitUntil('all are done or found crashed', async () => {
    const [count, { done }] = [await crashed(), await readProgress()];
    return count > 0 && count + done.size === requests ? count : undefined;
  });
  // Without the tag nothing is retried.
  expect((await waitForEnd(await runByHand(owner, id, 'By hand'))).status).toBe('success');
  expect((await readProgress()).done.size).toBe(requests - lost);

  const tag = await api<{ id: string }>('POST', '/tags', { name: 'rescue' });
  await api('PUT', `/workflows/${WORKFLOW_ID}/tags`, [{ id: tag.id }]);
  expect((await waitForEnd(await runByHand(owner, id, 'By hand'))).status).toBe('success');
  await allDone();
  const executions = (await ledger.read(WORKFLOW_ID)).executions.length;
  expect((await waitForEnd(await runByHand(owner, id, 'By hand'))).status).toBe('success');
  expect((await ledger.read(WORKFLOW_ID)).executions).toHaveLength(executions);
});
