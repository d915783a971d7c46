import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { chartFolder } from '../../capacity/src/core/paths.js';
import { terminalProgress } from '../../capacity/src/core/progress.js';
import { postgresLedger } from '../../capacity/src/features/faults/ledger/postgres.js';
import type { Ledger } from '../../capacity/src/features/faults/ledger/ledger.js';
import { WEBHOOK, WORKFLOW_ID } from '../../capacity/src/features/faults/workflow.js';
import type { Deployment } from '../../capacity/src/model/deployment.js';
import { readPostgresAddress } from '../../capacity/src/observe/postgres.js';
import { buildPlan } from '../capacity/support/index.js';
import { createApiKey } from './owner.js';
import { accountedProvisioner } from './accounted.js';
import { expectNothingLeft } from './cli.js';

/** Tests the chart's rescue with a real n8n in queue mode whose worker is killed. */

jest.setTimeout(900_000);

expectNothingLeft();

const REQUESTS = 20;
const WORK_SECONDS = 5;
const SCOPES = [
  'tag:create',
  'workflowTags:update',
  'workflow:list',
  'execution:list',
  'execution:read',
  'execution:retry',
];

let deployment: Deployment;
let ledger: Ledger;
let api: string;
let key: string;
const logs = mkdtempSync(join(tmpdir(), 'rescue-logs-'));

beforeAll(async () => {
  const files = [join(chartFolder, 'profiles', 'queue.yaml')];
  const provisioner = accountedProvisioner(WORK_SECONDS);
  const values = { files, set: ['worker.replicas=2', 'worker.concurrency=5'] };
  const prepared = await provisioner.prepare(buildPlan({ values }), terminalProgress(true));
  deployment = await prepared.deploy(logs);
  const { environment } = deployment.injector!;
  ledger = postgresLedger(readPostgresAddress(environment)!);
  await ledger.make();
  const main = `http://127.0.0.1:${environment.N8N_PORT}`;
  api = `${main}/api/v1`;
  key = await createApiKey(main, SCOPES);
});
afterAll(async () => {
  await deployment?.teardown();
  rmSync(logs, { recursive: true });
});

async function callApi(method: string, path: string, body: object): Promise<unknown> {
  const headers = { 'x-n8n-api-key': key, 'content-type': 'application/json' };
  const answer = await fetch(`${api}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Starts the rescue as its pod does. It checks every two seconds. */
function startRescue(port: number): ChildProcess {
  const env = {
    ...{
      N8N_API_URL: api,
      N8N_API_KEY: key,
      RESCUE_TAG: 'rescue',
      RESCUE_PORT: String(port),
      RESCUE_INTERVAL_SECONDS: '2',
    },
    ...{ RESCUE_AT_ONCE: '5', RESCUE_MAX_TRIES: '3', RESCUE_BACKOFF_SECONDS: '1' },
    ...{ RESCUE_MAX_AGE_HOURS: '1', RESCUE_LONG_MINUTES: '60' },
  };
  return spawn(process.execPath, [join(chartFolder, 'files/rescue/main.js')], { env, stdio: 'inherit' });
}

/** Number of requests that are done, and the statuses of n8n's executions. */
async function readProgress() {
  const { ledger: entries, executions } = await ledger.read(WORKFLOW_ID);
  const done = new Set(entries.flatMap(({ id, event }) => (event === 'done' ? [id] : [])));
  return { done: done.size, statuses: executions.map(({ status }) => status) };
}

/** Number of executions whose enqueuing process has been notified that the worker died. */
const countStalled = () =>
  readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), 'utf8').split('Problem with execution').length - 1)
    .reduce((sum, count) => sum + count, 0);

test('every request that a killed worker had accepted is done in the end, and its execution keeps its input', async () => {
  const { id } = (await callApi('POST', '/tags', { name: 'rescue' })) as { id: string };
  await callApi('PUT', `/workflows/${WORKFLOW_ID}/tags`, [{ id }]);
  const port = await findFreePort();
  const rescue = startRescue(port);
  try {
    const { endpoints, token } = deployment.access;
    for (let i = 0; i < REQUESTS; i++) {
      const answer = await fetch(`${endpoints[i % endpoints.length]}${WEBHOOK}?id=${i}`, {
        headers: { 'x-load-target-token': token },
      });
      expect(answer.status).toBe(200);
      if (i === REQUESTS / 2) {
        expect(await deployment.injector!.kill('worker', 'one', new AbortController().signal)).toMatch(/^SIGKILL/);
      }
      await sleep(250);
    }
    let state = await readProgress();
    // At the latest after Bull's lock, its check for stalled jobs, and the repeated work.
    for (const end = Date.now() + 400_000; state.done < REQUESTS && Date.now() < end; state = await readProgress())
      await sleep(1000);
    expect(state.done).toBe(REQUESTS);
    const crashed = state.statuses.filter((status) => status === 'crashed').length;
    expect(crashed).toBeGreaterThan(0);
    // A restarted worker finds them by itself. Later Bull notifies the process that enqueued them. Without the rescue, n8n
    // would then overwrite them with an error.
    while (countStalled() < crashed) await sleep(1000);
    await sleep(1000);
    state = await readProgress();
    expect(state.statuses.filter((status) => status === 'crashed')).toHaveLength(crashed);
    expect(state.statuses).not.toContain('error');
    let text = '';
    while (!text.includes(`{fate="rescued"} ${crashed}\n`)) {
      await sleep(1000);
      text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    }
    expect(text).toMatch(new RegExp(`^n8n_rescue_retries_total\\{result="ended"\\} ${crashed}$`, 'm'));
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  } finally {
    rescue.kill('SIGTERM');
    if (rescue.exitCode === null) await once(rescue, 'exit');
  }
  expect(rescue.exitCode).toBe(0);
});
