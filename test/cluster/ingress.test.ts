import { jest } from '@jest/globals';
import { installAddon } from './support/addon.js';
import { eventually, report, secondsOf } from './support/eventually.js';
import { Release } from './support/release.js';

jest.setTimeout(900_000);

/** The Ingress controller's own Service is the host name: clients of the cluster resolve it. */
const HOST = 'traefik.traefik';
const INGRESS = `http://${HOST}`;
const PROFILE = 'profiles/queue.yaml';
const requests = (cpu: string) => ({ resources: { requests: { cpu } } });
const values = {
  loadTargets: { enabled: true },
  ingress: { enabled: true, className: 'traefik', hosts: [HOST] },
  main: requests('100m'),
  worker: requests('150m'),
  webhook: { replicas: 2, ...requests('250m') },
  postgresql: requests('150m'),
};

let release: Release;
beforeAll(async () => {
  await installAddon('traefik');
  release = await Release.create('ingress');
  await release.install(values, PROFILE);
  await eventually('the Ingress routes', 60, async () => (await get('/healthz')).status === 200);
  await release.answers();
});
afterAll(() => release?.delete());

const get = async (path: string, base = INGRESS) =>
  release.client.request(base + path, { 'x-load-target-token': await release.token() });
const load = (workload: string, rate: number, variables = {}) =>
  release.load(workload, rate, { BASE_URL: INGRESS, ...variables });

/** What tells the components apart: each answers differently to a path that is not its own. */
test.each([
  ['/webhook/webhook-ack', 'webhook', 'main'],
  ['/webhook-test/none', 'main', 'webhook'],
  ['/rest/settings', 'main', 'webhook'],
  ['/webhook-waiting/1', 'webhook', 'main'],
  ['/form/none', 'webhook', 'main'],
  ['/form-waiting/1', 'webhook', 'main'],
  ['/mcp/none', 'webhook', 'main'],
] as const)('%s is served by %s', async (path, component, other) => {
  const ofAnswer = ({ status, body }: { status: number; body: string }) => ({
    status,
    form: body.replace(/[\d.]+/g, '0').slice(0, 60),
  });
  const routed = ofAnswer(await get(path));
  expect(routed).toEqual(ofAnswer(await get(path, release.url(component))));
  expect(routed).not.toEqual(ofAnswer(await get(path, release.url(other))));
});

test('a rolling upgrade, and a webhook processor less: no request fails, and what was accepted is executed', async () => {
  const before = (await release.executions()).success ?? 0;
  const running = await load('webhook-ack', 3);
  const seconds = await secondsOf(() => release.upgrade({ ...values, timezone: 'Europe/Berlin' }, PROFILE));
  await release.namespace.kubectl(['scale', 'deployment/n8n-tuned-webhook', '--replicas=1']);
  await eventually('one webhook processor', 120, async () => (await release.pods('webhook')).length === 1);
  await release.answers();
  const samples = await running.stop();
  report(`upgrade and scale-in behind an Ingress: ${seconds} s, ${samples.toString()}`);
  expect(samples.failed).toEqual([]);
  expect(await release.allSucceeded(60)).toBeGreaterThanOrEqual(before + samples.requests.length);
});

test('overload behind it: answers or 503, and what was accepted is executed', async () => {
  await release.upgrade(
    { ...values, webhook: { ...values.webhook, replicas: 1 }, overload: { maxRequests: 5, queue: 5 } },
    PROFILE,
  );
  await release.answers();
  const before = await release.allSucceeded(60);
  const running = await load('webhook-wait', 20, { SECONDS: 2, DURATION: '20s' });
  const samples = await running.end();
  const statuses = samples.requests.map(({ status }) => status);
  const count = (status: string) => statuses.filter((s) => s === status).length;
  report(`overload behind an Ingress: ${count('200')} answered, ${count('503')} refused of ${statuses.length}`);
  expect(new Set(statuses)).toEqual(new Set(['200', '503']));
  expect(await release.allSucceeded(60)).toBe(before + count('200'));
  expect(await release.restarts()).toEqual([]);
});
