import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { repositoryFolder } from '../../capacity/src/core/paths.js';
import { Pm2Deployment } from './pm2/deployment.js';
import { insertReload, type ReloadRecord } from './pm2/document.js';
import { computeReloadCost, startLoad, sendTogether, type Cost } from './pm2/load.js';

jest.setTimeout(600_000);

const PATH = '/webhook/webhook-wait?seconds=0.5';
/** Requests a second; few enough for two processors of a machine that also does other work. */
const PER_SECOND = process.env.N8N_TUNED_RECORD ? 10 : 3;
/** Makes requests cheap, because the test measures the reload, on any machine. */
const CHEAP = ['--set', 'expressionEngine.type=legacy,expressionEngine.acceptLessSafe=true'];

const machine = {
  cpus: cpus().length,
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  load: Math.round(loadavg()[0]! * 10) / 10,
};
let versions: ReloadRecord['versions'];
/** Cost of each reload, by its name in docs/pm2.md. */
const costs: Record<string, Cost> = {};

/** The record that `npm run bench:pm2` saves and writes into docs/pm2.md. */
afterAll(() => {
  const file = process.env.N8N_TUNED_RECORD;
  if (!file) return;
  const at = new Date().toISOString();
  const record: ReloadRecord = { at, machine, versions, perSecond: PER_SECOND, path: PATH, costs };
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
  const document = join(repositoryFolder, 'docs', 'pm2.md');
  writeFileSync(document, insertReload(readFileSync(document, 'utf8'), record));
});

/** Milliseconds of load before and after each reload, and the least in total. Shorter if no record is made. */
const [AROUND_MS, LEAST_MS] = process.env.N8N_TUNED_RECORD ? [5000, 20_000] : [2000, 5000];

/** Reloads an app under load, as the header of the file describes. */
async function reloadUnderLoad(deployment: Pm2Deployment, app: string, port: number, path = PATH): Promise<Cost> {
  const began = Date.now();
  const end = startLoad(port, path, PER_SECOND);
  await sleep(AROUND_MS);
  const from = Date.now();
  await deployment
    .pm2('reload', app, '--parallel', '1')
    .catch((error: unknown) => end().then(() => Promise.reject(error as Error)));
  const seconds = (Date.now() - from) / 1000;
  await sleep(Math.max(AROUND_MS, began + LEAST_MS - Date.now()));
  const cost = computeReloadCost(await end(), seconds);
  console.log(`reload of ${app}: ${JSON.stringify(cost)}`);
  return cost;
}

describe('queue mode: main, two workers, two webhook processors', () => {
  const deployment = new Pm2Deployment();
  const webhooks = () => deployment.port + 3;
  beforeAll(async () => {
    await deployment.start(['-f', join(repositoryFolder, 'charts/n8n-tuned/profiles/queue.yaml'), ...CHEAP]);
    await deployment.answers(deployment.port, '/healthz/readiness');
    await deployment.answers(deployment.port + 10, '/healthz/readiness');
    await deployment.answers(deployment.port + 12, '/healthz/readiness');
    await deployment.answers(webhooks(), PATH);
    versions = deployment.versions();
  });
  afterAll(async () => expect(await deployment.stop()).toEqual([]));

  test.each([
    ['n8n-main', 1, 1051],
    ['n8n-worker-0', 1, 979],
    ['n8n-webhook', 2, 896],
  ])('%s: %i with the heap that the chart gives it, %i MiB', async (app, instances, heapMiB) => {
    const pids = await deployment.pids(app);
    expect(pids).toHaveLength(instances);
    for (const pid of pids) {
      expect(deployment.heapMiB(pid)).toBeGreaterThanOrEqual(heapMiB);
      // V8 adds its young generation to the limit. Without a limit the heap would be gigabytes.
      expect(deployment.heapMiB(pid)).toBeLessThan(heapMiB + 500);
    }
  });

  test('pm2 reload of the webhook processors loses no request', async () => {
    const before = await deployment.pids('n8n-webhook');
    const cost = (costs['webhook processors'] = await reloadUnderLoad(deployment, 'n8n-webhook', webhooks()));
    const after = await deployment.pids('n8n-webhook');
    expect(after).toHaveLength(2);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(deployment.foldersOf('webhook').map(Number).sort()).toEqual(after.sort());
    expect(cost).toMatchObject({ failed: 0 });
    expect(cost.requests).toBeGreaterThan(0);
  });

  test('a reload of one worker of two loses no execution', async () => {
    const cost = (costs['a worker of two'] = await reloadUnderLoad(deployment, 'n8n-worker-0', webhooks()));
    expect(cost.requests).toBeGreaterThan(0);
    expect(cost.failed).toBe(0);
    await deployment.answers(deployment.port + 10, '/healthz/readiness');
  });

  test('a reload of main interrupts the editor, not the webhooks', async () => {
    const stop = startLoad(webhooks(), PATH, PER_SECOND);
    costs['main: the editor and the API'] = await reloadUnderLoad(
      deployment,
      'n8n-main',
      deployment.port,
      '/healthz/readiness',
    );
    const beside = (costs['main: webhooks beside it'] = computeReloadCost(
      await stop(),
      costs['main: the editor and the API'].reloadSeconds,
    ));
    expect(beside.failed).toBe(0);
    expect(costs['main: the editor and the API'].failed).toBeGreaterThan(0);
    await deployment.answers(deployment.port, '/healthz/readiness');
  });
});

describe('regular mode: main alone, on SQLite', () => {
  /** Most requests at once. The load has five under way. */
  const MOST = 7;
  const deployment = new Pm2Deployment();
  beforeAll(async () => {
    await deployment.start([...CHEAP, '--set', `overload.maxRequests=${MOST},overload.queue=0`], { queue: false });
    await deployment.answers(deployment.port, PATH);
  });
  afterAll(async () => expect(await deployment.stop()).toEqual([]));

  test('n8n works on at most overload.maxRequests requests at once and refuses the rest', async () => {
    const sent = await sendTogether(deployment.port, PATH, 2 * MOST);
    const of = (status: number) => sent.filter(({ outcome }) => outcome === status).length;
    expect({ answered: of(200), refused: of(503) }).toEqual({ answered: MOST, refused: MOST });
  });

  test('n8n answers; a reload makes it unavailable for as long as it takes to start', async () => {
    const cost = (costs['main alone: webhooks'] = await reloadUnderLoad(deployment, 'n8n-main', deployment.port));
    expect(cost.failed).toBeGreaterThan(0);
    await deployment.answers(deployment.port, PATH);
  });
});
