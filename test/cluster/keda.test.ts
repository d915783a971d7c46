import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { installAddon } from './support/addon.js';
import { eventually, report, secondsOf } from './support/eventually.js';
import { Release } from './support/release.js';

jest.setTimeout(900_000);

const requests = (cpu: string) => ({ resources: { requests: { cpu } } });
/** From one pod to three. */
const autoscaling = {
  type: 'keda',
  minReplicas: 1,
  maxReplicas: 3,
  behavior: {
    scaleUp: { stabilizationWindowSeconds: 0 },
    // Five minutes by default.
    scaleDown: { stabilizationWindowSeconds: 15, policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }] },
  },
};
const values = {
  loadTargets: { enabled: true },
  main: requests('100m'),
  postgresql: requests('100m'),
};

let release: Release;
beforeAll(() => installAddon('keda'));
afterEach(() => release?.delete());

async function install(name: string, more: object): Promise<void> {
  release = await Release.create(name);
  await release.install({ ...values, ...more }, 'profiles/queue.yaml');
  await release.answers();
}

/** Seconds until the component has so many pods, all ready and no other left. */
const secondsUntil = (component: 'worker' | 'webhook', pods: number) =>
  secondsOf(() =>
    eventually(`${pods} of ${component}`, 300, async () => {
      const { replicas, readyReplicas } = (await release.namespace.get('deployment', `n8n-tuned-${component}`)).status;
      return replicas === pods && readyReplicas === pods && (await release.pods(component)).length === pods;
    }),
  );

/** Looks for so many seconds: longer than it takes to end a pod (scaleDown above). */
async function staysAt(component: 'worker' | 'webhook', pods: number, seconds: number): Promise<void> {
  for (const until = Date.now() + 1000 * seconds; Date.now() < until; await sleep(2000)) {
    const { spec } = await release.namespace.get('deployment', `n8n-tuned-${component}`);
    expect(spec.replicas).toBe(pods);
  }
}

test('KEDA starts workers for what waits and runs, ends them again, and no execution is lost', async () => {
  await install('keda', { webhook: { replicas: 0 }, worker: { ...requests('100m'), concurrency: 5, autoscaling } });
  await secondsUntil('worker', 1);

  // 15 at once: one worker has 5 slots.
  const burst = await release.load('webhook-ack-wait', 3, { SECONDS: 5 });
  const up = await secondsUntil('worker', 3);
  const answered = await burst.stop();
  // Eight at a time, of 20 s each: they need two workers, and none of them waits.
  const active = await release.load('webhook-ack-wait', 0.4, { SECONDS: 20 });
  // Until eight are executed, and KEDA and the HPA have seen it: fewer need one worker.
  await sleep(60_000);
  await secondsUntil('worker', 2);
  await staysAt('worker', 2, 45);
  const steady = await active.stop();
  // Two executions at a time, on whatever worker: those that are stopped have work, too.
  const rest = await release.load('webhook-ack-wait', 0.1, { SECONDS: 20 });
  const down = await secondsUntil('worker', 1);
  const later = await rest.stop();
  expect([...answered.failed, ...steady.failed, ...later.failed]).toEqual([]);
  for (const seen of [answered, steady]) expect(seen.requests.length).toBeGreaterThan(0);

  const succeeded = await release.allSucceeded(120);
  report(`KEDA: 3 workers after ${up} s, 1 again after ${down} s; ${succeeded} executions succeeded`);
  // With the first call; what was on its way when a load was stopped may have been accepted, too.
  expect(succeeded).toBeGreaterThanOrEqual(
    answered.requests.length + steady.requests.length + later.requests.length + 1,
  );
  expect(await release.restarts()).toEqual([]);
});

test('KEDA starts webhook processors for the requests under way, ends them again, and no request is lost', async () => {
  await install('keda-webhooks', {
    metrics: { enabled: true },
    worker: { ...requests('100m'), replicas: 1, concurrency: 30 },
    webhook: { ...requests('100m'), autoscaling: { ...autoscaling, keda: { requests: 5 } } },
  });
  await secondsUntil('webhook', 1);

  // 15 requests under way.
  const burst = await release.load('webhook-wait', 3, { SECONDS: 5 });
  const up = await secondsUntil('webhook', 3);
  const answered = await burst.stop();
  // Two requests at a time: a pod that is stopped has requests, too.
  const rest = await release.load('webhook-wait', 0.4, { SECONDS: 5 });
  const down = await secondsUntil('webhook', 1);
  const later = await rest.stop();
  expect([...answered.failed, ...later.failed]).toEqual([]);

  report(`KEDA: 3 webhook processors after ${up} s, 1 again after ${down} s`);
  expect(answered.requests.length).toBeGreaterThan(0);
  expect(later.requests.length).toBeGreaterThan(0);
  expect(await release.restarts()).toEqual([]);
});
