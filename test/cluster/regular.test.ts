import { jest } from '@jest/globals';
import { eventually, report, secondsOf } from './support/eventually.js';
import { packedChart, Release } from './support/release.js';

jest.setTimeout(600_000);

/** The chart's defaults, and load targets to call. */
const values = { loadTargets: { enabled: true } };
const LEFT = ['persistentvolumeclaim/n8n-tuned-main', 'secret/n8n-tuned-generated'];

let release: Release;
let key: string;
beforeAll(async () => {
  release = await Release.create('regular');
  const packed = await packedChart();
  const seconds = await secondsOf(() => release.install(values, undefined, packed));
  report(`helm install of the package: ready after ${seconds} s`);
  key = await release.encryptionKey();
});
afterAll(() => release?.delete());
// No test leaves n8n broken behind it.
afterEach(async () => {
  expect(await release.encryptionKey()).toBe(key);
});

test('a workflow answers through the Service, and only with its token', async () => {
  await release.answers();
  expect((await release.client.request(`${release.url('main')}/webhook/webhook-ack`)).status).toBe(403);
});

test('helm test passes', async () => {
  expect(await release.test()).toMatch(/Phase:\s+Succeeded/);
});

test('an upgrade under load: main is replaced, and the outage ends', async () => {
  const load = await release.load('webhook-ack', 2);
  await release.answers();
  const seconds = await secondsOf(() => release.upgrade({ ...values, executions: { concurrencyLimit: 20 } }));
  await release.answers();
  const samples = await load.stop();
  report(`upgrade in regular mode: ${seconds} s, outage ${samples.outageSeconds} s (${samples.toString()})`);

  expect(await release.env('main')).toMatchObject({ N8N_CONCURRENCY_PRODUCTION_LIMIT: '20' });
  expect(samples.outageSeconds).toBeGreaterThan(0);
  expect(samples.outageSeconds).toBeLessThan(120);
  expect(samples.requests.at(-1)).toMatchObject({ ok: true });
});

test('a rollback brings the former values back', async () => {
  await release.rollback();
  // No limit, as the chart's values say it.
  expect(await release.env('main')).toMatchObject({ N8N_CONCURRENCY_PRODUCTION_LIMIT: '-1' });
  await release.answers();
});

test('an upgrade without the Secret is refused, since a new key could not read the data; with the key back it goes on', async () => {
  const data = (await release.namespace.get('secret', 'n8n-tuned-generated')).data as Record<string, string>;
  await release.namespace.kubectl(['delete', 'secret', 'n8n-tuned-generated']);
  await expect(release.upgrade(values)).rejects.toThrow('the key encryption-key is missing, but data of this release');
  expect(await release.namespace.find('secret', 'n8n-tuned-generated')).toBeUndefined();

  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'n8n-tuned-generated' }, data };
  await release.namespace.apply(JSON.stringify(secret));
  await release.upgrade(values);
  await release.answers();
});

test("main's process is killed: its container is restarted, and the release answers again", async () => {
  const [pod] = await release.pods('main');
  const seconds = await secondsOf(async () => {
    // Every process but tini, which ends with n8n.
    await release.namespace.exec(`pod/${pod.metadata.name}`, ['sh', '-c', 'kill -9 -1']).catch(() => undefined);
    await eventually('restart', 60, async () => (await release.restarts()).length > 0);
    await release.ready();
    await release.answers();
  });
  report(`main killed: answers again after ${seconds} s`);
  expect(await release.restarts()).toEqual([expect.objectContaining({ pod: pod.metadata.name, count: 1 })]);
});

const hog = (main: object, more: object = {}) => ({ ...values, main, ...more });

test.each([
  {
    what: "the heap limit is above the container's, which the chart itself refuses: OOMKilled",
    changed: hog(
      { resources: { limits: { memory: '1Gi' } } },
      { heap: { enabled: false }, extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=4096' }] },
    ),
    megabytes: 1024,
    end: { reason: 'OOMKilled', exitCode: 137 },
  },
  {
    what: "the heap limit is below the container's: V8 ends n8n",
    changed: hog({ heap: { n8n: 400 } }),
    megabytes: 600,
    end: { reason: 'Error', exitCode: 134 },
    log: 'JavaScript heap out of memory',
  },
])('memory-hog: $what, and the release recovers', async ({ changed, megabytes, end, log }) => {
  await release.upgrade(changed);
  await release.answers();
  const [pod] = await release.pods('main');
  await release.call('memory-hog', `?mb=${megabytes}&ms=5000`);

  const restarts = await eventually('n8n ends', 60, async () => {
    const seen = await release.restarts();
    return seen.length > 0 && seen;
  });
  expect(restarts).toEqual([{ pod: pod.metadata.name, count: 1, ...end }]);
  if (log) {
    expect(await release.namespace.kubectl(['logs', pod.metadata.name, '-c', 'n8n', '--previous'])).toContain(log);
  }
  await release.ready();
  await release.answers();
  expect(await release.restarts()).toHaveLength(1);
});

test('with a heap that fits the limit the same workflow is served', async () => {
  await release.upgrade(values);
  await release.answers();
  expect(await release.call('memory-hog', '?mb=600&ms=1000')).toMatchObject({ status: 200 });
  expect(await release.restarts()).toEqual([]);
});

test('an uninstall leaves the key and the data, with which a new install goes on', async () => {
  await release.uninstall();
  expect(await release.namespace.everything()).toEqual(LEFT);
  await release.install(values);
  // Its credential was encrypted by the first install.
  await release.answers();
});
