import type { StepLoad } from '../../../../capacity/src/model/generator.js';
import { jest } from '@jest/globals';
import { ChartRefused } from '../../../../capacity/src/core/errors.js';
import { renderRelease } from '../../../../capacity/src/provision/kubernetes/render-release.js';
import { k6Job, k6State, STEP_LABEL } from '../../../../capacity/src/provision/kubernetes/k6-job.js';
import type { K6Place } from '../../../../capacity/src/provision/kubernetes/k6-place.js';
import { k6TestRuns, createTestRun } from '../../../../capacity/src/provision/kubernetes/k6-test-run.js';
import { helm } from '../../../support/tools.js';

jest.setTimeout(60_000);

const TOKEN = 'c0ffee-c0ffee-c0ffee';
const step: StepLoad = {
  load: {
    name: 'webhook-ack',
    parts: [{ workload: 'webhook-ack', weight: 1 }],
    serviceSeconds: {},
    executionSeconds: {},
  },
  rate: 3,
  stepSeconds: 10,
  arrivals: { kind: 'poisson', seed: 7 },
  warmupSeconds: 3,
  timeoutSeconds: 60,
  endpoints: ['http://n8n-tuned-main:5678'],
  token: TOKEN,
  scriptEnv: { SECONDS: '2' },
  folder: '/nowhere',
  csv: 'steps/00.csv.gz',
};
const render = (...set: string[]) => renderRelease(helm, { files: [], set }, ['webhook-ack', 'webhook-wait']);

test("the Job of a step: the chart's own load test with this step's settings; the token stays in its Secret", async () => {
  const { loadTest } = await render('loadTest.image.tag=2.9.9', 'loadTest.resources.limits.cpu=4');
  const job = k6Job(loadTest, 'k6-step-00', step);
  expect(JSON.stringify(job)).not.toContain(TOKEN);
  const { spec, metadata } = job.spec.template;
  const [k6] = spec.containers;
  expect(k6).toMatchObject({ image: 'docker.io/grafana/k6:2.9.9', resources: { limits: { cpu: 4 } } });
  expect(k6!.command!.slice(-3)).toEqual(['--out', 'csv=/results/samples.csv.gz', '/loadtests/webhook-ack.js']);
  const env = Object.fromEntries(k6!.env!.map((e) => [e.name, e.value ?? e.valueFrom]));
  expect(env).toMatchObject({
    ...{ BASE_URL: 'http://n8n-tuned-main:5678', RATES: '3', DURATION: '10s', WARMUP: '3s', SECONDS: '2' },
    TOKEN: { secretKeyRef: { name: 'n8n-tuned-generated', key: 'load-target-token' } },
  });
  expect(k6!.env!.filter((e) => e.name === 'DURATION')).toHaveLength(1);
  expect(metadata!.labels).toMatchObject({ [STEP_LABEL]: 'k6-step-00', 'app.kubernetes.io/component': 'loadtest' });
});

test('the TestRun of a step of several pods: the same, its samples in the output', async () => {
  const { testRun } = await renderRelease(helm, { files: [], set: [] }, ['webhook-ack'], 3);
  const object = createTestRun(testRun!, 'k6-step-01', step);
  expect(JSON.stringify(object)).not.toContain(TOKEN);
  expect(object).toMatchObject({
    kind: 'TestRun',
    metadata: { name: 'k6-step-01' },
    spec: {
      parallelism: 3,
      arguments: expect.stringContaining('--out csv=-'),
      script: { localFile: '/loadtests/webhook-ack.js' },
      runner: { metadata: { labels: { [STEP_LABEL]: 'k6-step-01' } } },
    },
  });
  for (const { env } of [object.spec.runner, object.spec.initializer!]) {
    expect(env).toContainEqual({ name: 'RATES', value: '3' });
    expect(env!.find((e) => e.name === 'TOKEN')).toHaveProperty('valueFrom.secretKeyRef.key', 'load-target-token');
  }
});

test('a step that is ended before its k6 pods run is deleted with them: they would drive it later', async () => {
  const { testRun } = await renderRelease(helm, { files: [], set: [] }, ['webhook-ack'], 3);
  const asked: string[][] = [];
  const pending = (name: string) => ({
    metadata: { name, labels: { runner: 'true' } },
    ...{ spec: {}, status: { phase: 'Pending' } },
  });
  const place = {
    namespace: 'n8n',
    nodesUnderTest: () => new Set<string>(),
    api: { json: () => Promise.resolve({ items: ['k6-1', 'k6-2', 'k6-3'].map(pending) }) },
    cluster: {
      create: () => Promise.resolve(),
      kubectl: (args: string[]) => Promise.resolve(`${asked.push(args)}`),
    },
  } as unknown as K6Place;
  const run = k6TestRuns(place, testRun!).start(step);
  run.kill();
  expect((await run.finished).stderr).toContain('never started');
  expect(asked).toEqual([expect.arrayContaining(['delete', 'testruns.k6.io', 'k6-step-00'])]);
});

test.each([
  ['nothing yet', '', {}],
  ['k6 runs', 'usage 7 (k6) S 1\nusage 7 (k6) R 1\n', { stat: '7 (k6) R 1' }],
  [
    'k6 has ended',
    `usage 7 (k6) S 1\nended 99 ${'a'.repeat(64)}\n`,
    { stat: '7 (k6) S 1', ended: { exitCode: 99, sha256: 'a'.repeat(64) } },
  ],
  ['k6 has ended without samples', 'ended 107 none\n', { ended: { exitCode: 107 } }],
  ['a line that is not whole', 'ended 0 abc', {}],
])('the log of its pod: %s', (_, log, expected) => {
  expect(k6State(log)).toEqual(expected);
});

test('nothing of what people use is claimed or needed', async () => {
  const { objects } = await render('ingress.enabled=true', 'ingress.hosts[0]=n8n.example.com');
  expect(objects.map((o) => o.kind)).not.toContain('Ingress');
  const refused = (set: string) => render(set).catch((error: unknown) => error);
  expect(await refused('encryptionKey.existingSecret=production')).toMatchObject({
    ...{ name: 'UsageError', message: expect.stringContaining('Secret production') },
  });
  expect(await refused('main.persistence.existingClaim=data')).toMatchObject({
    ...{ name: 'UsageError', message: expect.stringContaining('PersistentVolumeClaim data') },
  });
  expect(await refused('main.resources.limits.memory=100Mi')).toBeInstanceOf(ChartRefused);
});
