import { jest } from '@jest/globals';
import { installAddon } from './support/addon.js';
import { eventually, report, secondsOf } from './support/eventually.js';
import { Release } from './support/release.js';

jest.setTimeout(900_000);

const requests = (cpu: string) => ({ resources: { requests: { cpu } } });
/** From one worker to three of five slots each. */
const MOST = 3;
const values = {
  loadTargets: { enabled: true },
  main: requests('100m'),
  webhook: { replicas: 0 },
  postgresql: requests('100m'),
  worker: {
    ...requests('100m'),
    concurrency: 5,
    autoscaling: {
      type: 'keda',
      minReplicas: 1,
      maxReplicas: MOST,
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 0 },
        // Five minutes by default.
        scaleDown: { stabilizationWindowSeconds: 15, policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }] },
      },
    },
  },
};

let release: Release;
beforeAll(async () => {
  await installAddon('keda');
  release = await Release.create('keda');
  await release.install(values, 'profiles/queue.yaml');
});
afterAll(() => release?.delete());

const workers = async () => (await release.namespace.get('deployment', 'n8n-tuned-worker')).status;

test('KEDA starts workers for what waits and runs, ends them again, and no execution is lost', async () => {
  await release.answers();
  expect((await workers()).replicas).toBe(1);

  // 15 at once: one worker has 5 slots.
  const burst = await release.load('webhook-ack-wait', 3, { SECONDS: 5 });
  const up = await secondsOf(() =>
    eventually('three workers are ready', 240, async () => (await workers()).readyReplicas === MOST),
  );
  const answered = await burst.stop();
  // Two executions at a time, on whatever worker: those that are stopped have work, too.
  const rest = await release.load('webhook-ack-wait', 0.1, { SECONDS: 20 });
  const down = await secondsOf(() =>
    eventually(
      'one worker',
      300,
      async () => (await workers()).replicas === 1 && (await release.pods('worker')).length === 1,
    ),
  );
  const later = await rest.stop();
  expect([...answered.failed, ...later.failed]).toEqual([]);

  const succeeded = await release.allSucceeded(120);
  report(`KEDA: 3 workers after ${up} s, 1 again after ${down} s; ${succeeded} executions succeeded`);
  // With the first call; what was on its way when a load was stopped may have been accepted, too.
  expect(succeeded).toBeGreaterThanOrEqual(answered.requests.length + later.requests.length + 1);
  expect(await release.restarts()).toEqual([]);
});
