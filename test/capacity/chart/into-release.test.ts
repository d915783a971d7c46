import { rmSync } from 'node:fs';
import { execa } from 'execa';
import type { Container, PodSpec } from 'kubernetes-types/core/v1.js';
import { parseAllDocuments } from 'yaml';
import { adoptManifests } from '../../../capacity/src/chart/adopt.js';
import { describeDeployment } from '../../../capacity/src/chart/describe.js';
import { mergeIntoRelease, releaseValues } from '../../../capacity/src/chart/into-release.js';
import { componentOf, type KubernetesObject } from '../../../capacity/src/chart/objects.js';
import { renderedPods } from '../../../capacity/src/chart/pods.js';
import { asChart } from '../../../capacity/src/provision/kubernetes/as-chart.js';
import { renderRelease } from '../../../capacity/src/provision/kubernetes/render-release.js';
import { helm } from '../../support/tools.js';

const IMAGE = 'docker.n8n.io/n8nio/n8n:2.40.0';
const QUEUE = {
  EXECUTIONS_MODE: 'queue',
  DB_TYPE: 'postgresdb',
  DB_POSTGRESDB_HOST: 'pg.data',
  DB_POSTGRESDB_PASSWORD: 'theirs',
  DB_POSTGRESDB_POOL_SIZE: '7',
  QUEUE_BULL_REDIS_HOST: 'rd',
  N8N_ENCRYPTION_KEY: 'their {{ key }}',
};

/** A Deployment of another chart. */
function workload(name: string, container: object = {}, pod: object = {}, replicas = 1): KubernetesObject {
  const containers = [{ name, image: IMAGE, envFrom: [{ configMapRef: { name: 'settings' } }], ...container }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, template: { spec: { containers, ...pod } } },
  };
}

const settings = (data: Record<string, string>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data,
});

const queue = (): KubernetesObject[] => [
  settings(QUEUE),
  workload(
    'n8n',
    {
      // The port of n8n in the other chart; this chart uses another one.
      ports: [
        { name: 'web', containerPort: 8080 },
        { name: 'debug', containerPort: 9229 },
      ],
      livenessProbe: { httpGet: { path: '/healthz', port: 'web' } },
      readinessProbe: { httpGet: { path: '/', port: 'debug' } },
      resources: { limits: { memory: '1Gi' } },
      volumeMounts: [{ name: 'data', mountPath: '/home/node/.n8n' }],
      env: [
        { name: 'EXTERNAL_HOOK_FILES', value: '/theirs.js' },
        { name: 'N8N_PORT', value: '8080' },
      ],
    },
    { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'n8n' } }], serviceAccountName: 'n8n' },
  ),
  workload('n8n-worker', { command: ['n8n'], args: ['worker', '--concurrency=7'] }, {}, 3),
  workload('n8n-webhook', { command: ['n8n'], args: ['webhook'] }),
];

/** The other chart's n8n in a release of this one. */
async function mergeManifests(manifests: KubernetesObject[], ownImage = false) {
  const adopted = adoptManifests(manifests, {}, 'cluster');
  const { objects } = await renderRelease(helm, releaseValues(adopted.objects), ['webhook-ack']);
  return mergeIntoRelease(adopted, objects, ownImage);
}

const podOf = (objects: KubernetesObject[], component: string): PodSpec =>
  objects.find((o) => o.kind === 'Deployment' && componentOf(o) === component)!.spec!.template!.spec;
const variable = ({ env = [] }: Container, name: string) => env.filter((e) => e.name === name);

test('mergeIntoRelease keeps the pods of the other chart', async () => {
  const { objects, notes } = await mergeManifests(queue());
  const pods = renderedPods(objects);
  expect(pods.map(({ component }) => component)).toEqual([
    'postgresql',
    'redis',
    'main',
    'worker',
    'worker',
    'worker',
    'webhook',
  ]);
  expect(describeDeployment(pods)).toMatchObject({ mode: 'queue', database: 'postgresdb', slots: 21 });
  const [main] = podOf(objects, 'main').containers;
  expect(main).toMatchObject({ image: IMAGE, resources: { limits: { memory: '1Gi' } } });
  expect(main!.ports).toEqual([
    { name: 'http', containerPort: 5678 },
    { name: 'debug', containerPort: 9229 },
  ]);
  expect(main!.livenessProbe!.httpGet).toEqual({ path: '/healthz', port: 5678 });
  expect(main!.readinessProbe!.httpGet!.port).toBe(9229);
  expect(podOf(objects, 'main')).not.toHaveProperty('serviceAccountName');
  expect(podOf(objects, 'worker').containers[0]!.args).toEqual(['worker', '--concurrency=7']);
  expect(notes).toEqual(
    expect.arrayContaining([
      'volume data of n8n is an empty folder',
      expect.stringMatching(/^a PostgreSQL of n8n-tuned's chart replaces pg\.data/),
    ]),
  );
});

test('databases and load targets are those of this chart, and everything else is unchanged', async () => {
  const { objects } = await mergeManifests(queue());
  const [main] = podOf(objects, 'main').containers;
  expect(variable(main!, 'DB_POSTGRESDB_HOST')).toEqual([
    { name: 'DB_POSTGRESDB_HOST', value: 'n8n-tuned-postgresql' },
  ]);
  expect(variable(main!, 'DB_POSTGRESDB_PASSWORD')[0]!.valueFrom!.secretKeyRef!.name).toBe('n8n-tuned-generated');
  expect(variable(main!, 'DB_POSTGRESDB_POOL_SIZE')[0]!.value).toBe('7');
  expect(variable(main!, 'LOAD_TARGETS')).toHaveLength(1);
  expect(variable(main!, 'EXTERNAL_HOOK_FILES')[0]!.value).toBe('/theirs.js:/opt/n8n-tuned/load-targets.js');
  // This chart's tuning is not applied to the other chart.
  for (const name of ['NODE_OPTIONS', 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE', 'N8N_TUNED_MAX_REQUESTS'])
    expect(variable(main!, name)).toEqual([]);
  for (const component of ['main', 'worker', 'webhook']) {
    const [container] = podOf(objects, component).containers;
    const names = container!.env!.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    const [prepare] = podOf(objects, component).initContainers!;
    expect(prepare!.image).toBe(IMAGE);
    const mounted = [...container!.volumeMounts!, ...prepare!.volumeMounts!];
    const volumes = podOf(objects, component).volumes!.map(({ name }) => name);
    expect(mounted.map(({ name }) => name).filter((name) => !volumes.includes(name))).toEqual([]);
    expect(volumes).toEqual([...new Set(volumes)]);
    expect(mounted.map(({ mountPath }) => mountPath)).toContain('/home/node/.n8n');
  }
});

test('secrets are in a Secret only', async () => {
  const { objects } = await mergeManifests(queue());
  const secret = objects.find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name === 'n8n-tuned-main-environment',
  );
  expect(secret!.stringData).toEqual({ N8N_ENCRYPTION_KEY: QUEUE.N8N_ENCRYPTION_KEY });
  // The ConfigMap is the user's own.
  const others = objects.filter(({ kind, metadata }) => kind !== 'Secret' && metadata.name !== 'settings');
  expect(JSON.stringify(others)).not.toContain(QUEUE.N8N_ENCRYPTION_KEY);
});

test('another version of n8n runs in the image of this chart', async () => {
  const { objects } = await mergeManifests([settings({}), workload('n8n')], true);
  expect(podOf(objects, 'main').containers[0]!.image).toBe('docker.io/n8nio/n8n:2.40.0');
  expect(describeDeployment(renderedPods(objects))).toMatchObject({ mode: 'regular', database: 'sqlite' });
});

test('helm renders the objects unchanged', async () => {
  const { objects } = await mergeManifests(queue());
  const folder = await asChart(objects, 'somewhere');
  try {
    const { stdout } = await execa(helm, ['template', 'n8n-tuned', folder]);
    const rendered = parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject);
    expect(rendered).toHaveLength(objects.length);
    expect(rendered.every(({ metadata }) => metadata.namespace === 'somewhere')).toBe(true);
    const secret = rendered.find(({ metadata }) => metadata.name === 'n8n-tuned-main-environment');
    expect(secret!.stringData).toEqual({ N8N_ENCRYPTION_KEY: QUEUE.N8N_ENCRYPTION_KEY });
    expect(rendered.find(({ kind }) => kind === 'RoleBinding')).toMatchObject({
      subjects: [{ namespace: 'somewhere' }],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
