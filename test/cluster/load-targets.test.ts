import { jest } from '@jest/globals';
import { eventually, report, secondsOf } from './support/eventually.js';
import { testWithK6Operator } from './support/k6-operator.js';
import { Release } from './support/release.js';

jest.setTimeout(600_000);

/** Regular mode; queue.test.ts has load targets in queue mode. */
const values = { loadTargets: { enabled: true, workflows: ['webhook-ack', 'webhook-wait'] } };
const off = { loadTargets: { enabled: false } };

let release: Release;
beforeAll(async () => {
  release = await Release.create('load-targets');
  report(`without load targets: ready after ${await secondsOf(() => release.install(off))} s`);
});
afterAll(() => release?.delete());

/** The status of a webhook, with the token that there is. */
const status = async (workflow: string) => (await release.call(workflow)).status;
const logOfMain = (container: string) =>
  release.namespace.kubectl(['logs', 'deployment/n8n-tuned-main', '--container', container]);
const nodes = () => release.namespace.exec('deployment/n8n-tuned-main', ['ls', '/home/node/.n8n/nodes/node_modules']);

test('switched on: active with the token, and refused without', async () => {
  report(`load targets switched on: ${await secondsOf(() => release.upgrade(values))} s`);
  await release.answers();
  expect((await release.client.request(`${release.url('main')}/webhook/webhook-ack`)).status).toBe(403);
  expect(await release.namespace.exec('deployment/n8n-tuned-main', ['env'])).not.toContain(await release.token());
  for (const container of ['load-targets', 'n8n']) {
    expect(await logOfMain(container)).not.toContain(await release.token());
  }
});

test('a new pod of main finds them there, and imports nothing', async () => {
  await release.namespace.kubectl(['rollout', 'restart', 'deployment/n8n-tuned-main']);
  await release.ready();
  await release.answers();
  expect(await logOfMain('load-targets')).toMatch(/^2 load targets are there already/m);
});

test('a load test is a Job that calls them', async () => {
  const loadTest = {
    enabled: true,
    script: 'webhook-wait',
    rates: [1],
    duration: '5s',
    env: { SECONDS: 1, WARMUP: '0s' },
  };
  await release.upgrade({ ...values, loadTest });
  const selector = 'app.kubernetes.io/component=loadtest';
  // Whether this machine keeps up is not the question here.
  await eventually('the load test has ended', 180, async () => {
    const [job] = await release.namespace.list('jobs', selector);
    return job?.status.succeeded === 1 || job?.status.failed === 1;
  });
  const log = await release.namespace.kubectl(['logs', '--selector', selector, '--container', 'k6', '--tail=-1']);
  expect(log).toMatch(/http_reqs{scenario:webhook-wait_0_measure}\s+✓ 'count>0'/);
  expect(log).toMatch(/answered{scenario:webhook-wait_0_measure}\s+✓ 'rate==1'/);
});

await testWithK6Operator('the k6-operator accepts a load test of several pods', async () => {
  const rendered = await release.render({ ...values, loadTest: { enabled: true, parallelism: 2 } });
  const testRun = rendered.split(/^---$/m).find((text) => /^kind: TestRun$/m.test(text))!;
  const check = ['apply', '--dry-run=server', '--validate=strict', '-f', '-'];
  expect(await release.namespace.kubectl(check, testRun)).toMatch(/^testrun\.k6\.io\/\S+ created \(server dry run\)/);
});

test('a workflow that is no longer named goes, the others stay', async () => {
  await release.upgrade({ loadTargets: { ...values.loadTargets, workflows: ['webhook-ack'] } });
  await release.answers();
  expect(await status('webhook-wait')).toBe(404);
});

test('switched off: webhooks, workflows, credential and node are gone', async () => {
  await release.upgrade(off);
  await eventually('webhook-ack is gone', 60, async () => (await status('webhook-ack')) === 404);
  expect(await logOfMain('n8n')).toContain('load targets: deleted the workflows 1001');
  expect(await nodes()).toBe('');
});

test('switched on again, and rolled back to off: gone too', async () => {
  await release.upgrade(values);
  await release.answers();
  await release.rollback();
  await eventually('webhook-ack is gone', 60, async () => (await status('webhook-ack')) === 404);
});
