import { jest } from '@jest/globals';
import { eventually, report, secondsOf } from './support/eventually.js';
import { Release, type Component } from './support/release.js';

jest.setTimeout(600_000);

const PROFILE = 'profiles/queue.yaml';
const requests = (cpu: string) => ({ resources: { requests: { cpu } } });
/**
 * The profile with load targets, and requests that leave room on two cores for what is surged and scaled. Where pods
 * that start take all of the CPU, it is shared by these: callers wait for webhook processors.
 */
const values = {
  loadTargets: { enabled: true },
  main: requests('100m'),
  worker: requests('150m'),
  webhook: requests('250m'),
  postgresql: requests('150m'),
};
const LEFT = [
  'persistentvolumeclaim/data-n8n-tuned-postgresql-0',
  'persistentvolumeclaim/data-n8n-tuned-redis-0',
  'persistentvolumeclaim/n8n-tuned-main',
  'secret/n8n-tuned-generated',
];

let release: Release;
let key: string;
beforeAll(async () => {
  release = await Release.create('queue');
  const seconds = await secondsOf(() => release.install(values, PROFILE));
  report(`helm install --values ${PROFILE}: ready after ${seconds} s`);
  key = await release.encryptionKey();
});
afterAll(() => release?.delete());
afterEach(async () => {
  expect(await release.encryptionKey()).toBe(key);
});

test('a workflow answers through the Service of the webhook processors, and a worker has run it', async () => {
  const { component, host } = await release.answers();
  expect(component).toBe('worker');
  expect((await release.pods('worker')).map(({ metadata }) => metadata.name)).toContain(host);
  expect((await release.client.request(`${release.url('webhook')}/webhook/webhook-ack`)).status).toBe(403);
});

test('helm test passes', async () => {
  expect(await release.test()).toMatch(/Phase:\s+Succeeded/);
});

test('an upgrade of every component under load: no request fails', async () => {
  await release.answers();
  const before = (await release.pods()).map(({ metadata }) => metadata.uid);
  const load = await release.load('webhook-ack', 3);
  const changed = { ...values, executions: { data: { saveOnSuccess: 'none' } } };
  const seconds = await secondsOf(() => release.upgrade(changed, PROFILE));
  await release.answers();
  const samples = await load.stop();
  report(`upgrade in queue mode: ${seconds} s, ${samples.toString()}`);

  for (const component of ['main', 'worker', 'webhook'] as const) {
    expect(await release.env(component)).toMatchObject({ EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none' });
    for (const { metadata } of await release.pods(component)) expect(before).not.toContain(metadata.uid);
  }
  expect(samples.failed).toEqual([]);
  // On two cores answers come late while pods start, and k6 runs out of clients for a moment: what it could not send is reported.
  expect(samples.wrong).toBe(0);
  expect(samples.requests.length).toBeGreaterThan(seconds * 2);
});

test('a rollback brings the former values back', async () => {
  await release.rollback();
  for (const component of ['main', 'worker', 'webhook'] as const) {
    expect(await release.env(component)).toMatchObject({ EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all' });
  }
  await release.answers();
});

test.each<Component>(['webhook', 'worker', 'main', 'redis', 'postgresql'])(
  'a pod of %s is killed: another takes its place, and the release answers again',
  async (component) => {
    const [pod] = await release.pods(component);
    const seconds = await secondsOf(async () => {
      await release.namespace.kubectl(['delete', 'pod', pod.metadata.name, '--grace-period=0', '--force']);
      await release.ready();
      await release.answers();
    });
    report(`${component} killed: all ready and answering after ${seconds} s`);
    const uids = (await release.pods(component)).map(({ metadata }) => metadata.uid);
    expect(uids).not.toContain(pod.metadata.uid);
  },
);

test('memory-hog ends one worker of two, OOMKilled; the execution fails and is not given to the other', async () => {
  await release.upgrade(
    {
      ...values,
      // Above the container's limit, which the chart itself refuses.
      heap: { enabled: false },
      worker: { resources: { requests: { cpu: '150m' }, limits: { memory: '1Gi' } } },
      extraEnv: [
        { name: 'NODE_OPTIONS', value: '--max-old-space-size=4096' },
        // A minute and a half by default, until Bull takes the execution for lost.
        { name: 'QUEUE_WORKER_LOCK_DURATION', value: '10000' },
        { name: 'QUEUE_WORKER_LOCK_RENEW_TIME', value: '2000' },
        { name: 'QUEUE_WORKER_STALLED_INTERVAL', value: '5000' },
      ],
    },
    PROFILE,
  );
  await release.answers();
  expect(await release.call('memory-hog', '?mb=1024&ms=5000')).toMatchObject({ status: 500 });
  await release.ready();
  await release.answers();
  const [restart, ...others] = await release.restarts();
  expect(restart).toMatchObject({ count: 1, reason: 'OOMKilled', exitCode: 137 });
  expect(others).toEqual([]);
  expect((await release.pods('worker')).map(({ metadata }) => metadata.name)).toContain(restart!.pod);
});

test('workers scale with their CPU, and an upgrade leaves the scale alone', async () => {
  const autoscaling = { type: 'hpa', minReplicas: 1, maxReplicas: 2, targetCPUUtilizationPercentage: 80 };
  const scaled = { ...values, worker: { ...requests('100m'), autoscaling } };
  const workers = async () => (await release.namespace.get('deployment', 'n8n-tuned-worker')).spec.replicas as number;
  await release.upgrade(scaled, PROFILE);
  await eventually('one worker', 180, async () => (await workers()) === 1);
  await release.ready();
  await release.answers();

  const load = await release.load('cpu-burn', 2, { N: 200_000_000 });
  const seconds = await secondsOf(() => eventually('two workers', 180, async () => (await workers()) === 2));
  report(`HPA: a second worker ${seconds} s after the load began; ${(await load.stop()).toString()}`);
  await release.upgrade({ ...scaled, executions: { data: { saveOnSuccess: 'none' } } }, PROFILE);
  expect(await workers()).toBe(2);
  await release.answers();
});

test('an uninstall leaves the key and the data, with which a new install goes on', async () => {
  await release.uninstall();
  expect(await release.namespace.everything()).toEqual(LEFT);
  await release.install(values, PROFILE);
  await release.answers();
});
