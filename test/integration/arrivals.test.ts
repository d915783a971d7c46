import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Recording } from '../../capacity/src/model/recording.js';
import { terminalProgress } from '../../capacity/src/core/progress.js';
import { postgresCommand } from '../../capacity/src/provision/process/databases.js';
import { allocatePorts } from '../../capacity/src/provision/process/host.js';
import { listening } from '../../capacity/src/provision/listening.js';
import { ensurePostgres } from '../../capacity/src/tools/postgres.js';
import { startN8n, type RunningN8n } from '../browser/n8n.js';
import { createApiKey } from './owner.js';
import { cliWith, expectNothingLeft, LENIENT, runValidate } from './cli.js';
import { TESTED_N8N } from '../support/versions.js';

jest.setTimeout(600_000);

expectNothingLeft();

const folder = mkdtempSync(join(tmpdir(), 'arrivals-'));
const progress = terminalProgress(true);
let postgres: ChildProcess;
let n8n: RunningN8n;
let port: number;

beforeAll(async () => {
  port = (await allocatePorts()).service;
  const home = join(folder, 'postgres');
  mkdirSync(home);
  const user = { POSTGRES_USER: 'n8n', POSTGRES_DB: 'n8n', POSTGRES_PASSWORD: 'p' };
  const { command, args } = await postgresCommand(await ensurePostgres(progress), home, port, user, []);
  postgres = spawn(command, args, { stdio: 'ignore' });
  await listening(port, 60, progress.signal);
  n8n = await startN8n(folder, {
    env: {
      ...{ DB_TYPE: 'postgresdb', DB_POSTGRESDB_HOST: '127.0.0.1', DB_POSTGRESDB_PORT: String(port) },
      ...{ N8N_METRICS: 'true', N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS: 'true' },
      N8N_METRICS_INCLUDE_WORKFLOW_ID_LABEL: 'true',
      ...{ DB_POSTGRESDB_USER: 'n8n', DB_POSTGRESDB_PASSWORD: 'p', DB_POSTGRESDB_DATABASE: 'n8n' },
    },
  });
  process.env.N8N_API_KEY = await createApiKey(n8n.url);
});
afterAll(async () => {
  delete process.env.N8N_API_KEY;
  await n8n?.stop();
  const ended = once(postgres, 'exit');
  postgres.kill('SIGINT');
  await ended;
});

/** Creates and activates a workflow with one webhook, and calls it with these pauses (milliseconds) between the calls. */
async function callWebhook(pauses: number[]): Promise<string> {
  const request = async (path: string, body: object) => {
    const response = await fetch(`${n8n.url}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'x-n8n-api-key': process.env.N8N_API_KEY!, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { id: string };
  };
  const webhook = {
    ...{ id: 'a', name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2.1, position: [0, 0] },
    ...{ webhookId: 'order', parameters: { path: 'order' } },
  };
  const { id } = await request('workflows', { name: 'Order', nodes: [webhook], connections: {}, settings: {} });
  await request(`workflows/${id}/activate`, {});
  const call = async () => (await fetch(`${n8n.url}/webhook/order`)).status;
  while ((await call()) !== 200) await sleep(200);
  for (const pause of pauses) {
    await sleep(pause);
    expect(await call()).toBe(200);
  }
  return id;
}

test('the arrivals of an n8n are recorded from PostgreSQL and from the API, and replayed', async () => {
  const pauses = Array.from({ length: 40 }, (_, i) => (i % 10 === 0 ? 1000 : 50));
  const id = await callWebhook(pauses);
  const recordArrivals = async (env: Record<string, string>, ...args: string[]): Promise<Recording> => {
    const file = join(folder, `recorded-${args.length}.json`);
    const { exitCode, stdout, stderr } = await cliWith(env, 'arrivals', '-o', file, ...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`41 of workflow ${id}`);
    return JSON.parse(readFileSync(file, 'utf8')) as Recording;
  };
  const inDatabase = await recordArrivals({ N8N_POSTGRES_URL: `postgresql://n8n:p@127.0.0.1:${port}/n8n` });
  const byApi = await recordArrivals({}, '--url', n8n.url);
  expect(inDatabase).toMatchObject({ source: 'createdAt in PostgreSQL', workflows: [{ id, count: 41 }] });
  expect(byApi).toMatchObject({ n8n: TESTED_N8N, workflows: [{ id, count: 41 }] });
  const [offsets, same] = [inDatabase, byApi].map((r) => r.workflows[0]!.offsets) as [number[], number[]];
  offsets.forEach((at, i) => expect(Math.abs(at - same[i]!)).toBeLessThan(1));
  pauses.forEach((pause, i) => expect(offsets[i + 1]! - offsets[i]!).toBeGreaterThan(pause / 1000 - 0.05));

  // The recorded hour holds few seconds of calls. The test replays only these, and a pause in which n8n is idle.
  const first = offsets[0]!;
  const short = offsets.map((at) => at - first);
  const file = join(folder, 'short.json');
  const seconds = Math.ceil(short.at(-1)!) + 30;
  writeFileSync(file, JSON.stringify({ ...inDatabase, seconds, workflows: [{ id, count: 41, offsets: short }] }));
  const counted = ['--metrics-url', `${n8n.url}/metrics`, '--max-rate', '50/s', '--workload', 'webhook-ack'];
  const where = ['--provisioner', 'existing', '--url', n8n.url, ...counted];
  const run = await runValidate(...where, '--arrivals', file, '--times', '1.5', ...LENIENT);
  const { conclusion } = run.conclusion.verdict.loads[0]!;
  expect({ code: run.exitCode, conclusion }).toEqual({
    code: 0,
    conclusion: expect.stringContaining('sustains the recorded arrivals × 1.5'),
  });
  const [step] = run.steps;
  expect(step).toMatchObject({ replayed: true, summary: { offered: 62, answered: 62, dropped: 0 } });
  expect((JSON.parse(readFileSync(join(run.folder, 'arrivals.json'), 'utf8')) as number[]).length).toBe(62);
});
