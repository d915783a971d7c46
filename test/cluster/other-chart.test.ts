import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { stringify } from 'yaml';
import { reasonCodes, LENIENT, runValidate } from '../integration/cli.js';
import { report } from './support/eventually.js';
import { runNamespaces } from './support/run-namespaces.js';

jest.setTimeout(900_000);

const CLUSTER = ['--provisioner', 'kubernetes'];
const SHORT = ['--workload', 'webhook-ack', '--step-duration', '30s', '--warmup', '2s', '--no-overload', ...LENIENT];
const IMAGE = 'docker.io/n8nio/n8n:2.41.1';

const folder = mkdtempSync(join(tmpdir(), 'other-chart-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Drives the manifests of another chart with so many requests per second. */
function validated(objects: object[], rate: number) {
  const file = join(folder, 'n8n.yaml');
  writeFileSync(file, objects.map((object) => stringify(object)).join('---\n'));
  return runValidate(...CLUSTER, '--manifests', file, '--rates', `${rate}/s`, ...SHORT);
}

function workload(name: string, container: object, { replicas = 1, ...pod }: Record<string, unknown> = {}) {
  const labels = { app: name };
  const resources = { requests: { cpu: '100m' }, limits: { cpu: '2', memory: '1500Mi' } };
  const containers = [
    { name: 'n8n', image: IMAGE, envFrom: [{ configMapRef: { name: 'n8n' } }], resources, ...container },
  ];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers, ...pod } },
    },
  };
}

const settings = (data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'n8n' },
  data: { GENERIC_TIMEZONE: 'Europe/Berlin', ...data },
});

let before: string[];
beforeEach(async () => void (before = await runNamespaces()));
afterEach(async () => expect(await runNamespaces()).toEqual(before));

test('one process with a volume: its memory is sampled, and what is not as the manifests say is recorded', async () => {
  const probe = { httpGet: { path: '/healthz', port: 'web' } };
  const container = {
    ports: [{ name: 'web', containerPort: 5678 }],
    livenessProbe: probe,
    readinessProbe: { ...probe, httpGet: { path: '/healthz/readiness', port: 'web' } },
    volumeMounts: [{ name: 'data', mountPath: '/home/node/.n8n' }],
  };
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'n8n' } }];
  const run = await validated([settings({}), workload('n8n', container, { volumes })], 3);
  expect([run.conclusion.verdict.verdict, reasonCodes(run.conclusion.verdict)]).toEqual(['PASS', []]);
  const { deployment } = run.run;
  expect(deployment).toMatchObject({ provisioner: 'kubernetes', database: 'sqlite' });
  expect(deployment.adopted).toContain('volume data of n8n is an empty folder');
  const [step] = run.steps;
  expect(step!.executions!.completed).toBe(step!.executions!.accepted);
  expect(step).toMatchObject({ events: [], memory: [{ component: 'main', limitBytes: 1500 * 2 ** 20 }] });
});

test('queue mode: the databases are provided, and workers execute what the webhook processor takes', async () => {
  const environment = {
    EXECUTIONS_MODE: 'queue',
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: 'pg.data.svc',
    QUEUE_BULL_REDIS_HOST: 'rd.data.svc',
    N8N_ENCRYPTION_KEY: 'not-a-secret-of-anybody',
  };
  const workers = workload('n8n-worker', { command: ['n8n'], args: ['worker', '--concurrency=5'] }, { replicas: 2 });
  const webhook = workload('n8n-webhook', { command: ['n8n'], args: ['webhook'] });
  const run = await validated([settings(environment), workload('n8n', {}), workers, webhook], 2);
  const { instances, adopted = [] } = run.run.deployment;
  const components = instances.map(({ component }) => component).sort();
  expect(components).toEqual(['main', 'postgresql', 'redis', 'webhook', 'worker', 'worker']);
  expect(adopted.filter((note) => /replaces (pg|rd)\.data\.svc/.test(note))).toHaveLength(2);
  const [step] = run.steps;
  report(`another chart in queue mode: ${run.conclusion.verdict.verdict}, p95 ${step!.summary.latency?.p95} s`);
  expect(step!.executions!.accepted).toBeGreaterThanOrEqual(10);
  expect(step!.executions!.completed).toBe(step!.executions!.accepted);
  expect([run.conclusion.verdict.verdict, reasonCodes(run.conclusion.verdict)]).toEqual(['PASS', []]);
});
