import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChartRefused, UsageError } from '../../../capacity/src/core/errors.js';
import { describeDeployment } from '../../../capacity/src/chart/describe.js';
import { containerEnvironment } from '../../../capacity/src/chart/environment.js';
import { onThisHost, serviceAddresses } from '../../../capacity/src/provision/process/host.js';
import { parseQuantity, type KubernetesObject } from '../../../capacity/src/chart/objects.js';
import { withPathsOnHost, writeConfigMaps } from '../../../capacity/src/provision/process/mounts.js';
import { listLocalPods } from '../../../capacity/src/chart/pods.js';
import { renderChart } from '../../../capacity/src/chart/render.js';
import { helm } from '../../support/tools.js';

const render = (...set: string[]) => renderChart(helm, { files: [], set });
const QUEUE = ['executions.mode=queue', 'database.type=postgresql', 'worker.replicas=2', 'webhook.replicas=2'];

test.each([
  ['500m', 0.5],
  ['2', 2],
  [1, 1],
  ['512Mi', 512 * 2 ** 20],
  ['1.5Gi', 1.5 * 2 ** 30],
  ['1G', 1e9],
  ['2.147483648e+09', 2 ** 31],
  ['12E6', 12e6],
  ['1E', 1e18],
  ['250000n', 0.00025],
  ['150u', 0.00015],
  ['much', Number.NaN],
])('parseQuantity reads %s', (text, value) => expect(parseQuantity(text)).toBe(value));

test('parseQuantity returns NaN for a text that is not a quantity', () => expect(parseQuantity('2 apples')).toBeNaN());

test('regular mode is one pod, with its limits', async () => {
  const pods = listLocalPods(await render('main.resources.limits.cpu=1500m', 'main.resources.limits.memory=3Gi'));
  expect(pods.map((p) => p.name)).toEqual(['n8n-tuned-main-0']);
  expect(pods[0]!.limits).toEqual({ cpuMillis: 1500, memoryBytes: 3 * 2 ** 30 });
});

test('queue mode has one pod for each replica, databases first', async () => {
  const pods = listLocalPods(await render(...QUEUE));
  expect(pods.map((p) => p.component)).toEqual([
    'postgresql',
    'redis',
    'main',
    'worker',
    'worker',
    'webhook',
    'webhook',
  ]);
});

test('describeDeployment reads mode, database and slots from the render', async () => {
  const described = describeDeployment(listLocalPods(await render(...QUEUE, 'worker.concurrency=7')));
  expect(described).toMatchObject({ mode: 'queue', process: 'main', database: 'postgresdb', slots: 14 });
});

test("containerEnvironment takes values of the Job's Secret from the given source", async () => {
  const objects = await render(...QUEUE);
  const generated = (secret: string, key: string) => `${secret}/${key}`;
  const [key] = listLocalPods(objects)
    .filter((p) => p.component === 'worker' || p.component === 'main')
    .map((pod) => containerEnvironment(pod.container, { objects, generated, podName: pod.name }).N8N_ENCRYPTION_KEY);
  expect(key).toBe('n8n-tuned-generated/encryption-key');
});

test('containerEnvironment refuses a Secret that exists only in a cluster', async () => {
  const objects = await render('encryptionKey.existingSecret=my-secret').catch(() =>
    render('existingSecret=my-secret'),
  );
  const [pod] = listLocalPods(objects);
  const generated = () => undefined;
  expect(() => containerEnvironment(pod!.container, { objects, generated, podName: pod!.name })).toThrow(UsageError);
});

test('on a host, ports and the addresses of embedded services change', async () => {
  const objects = await render(...QUEUE);
  const pods = listLocalPods(objects);
  const ports = new Map(pods.map((pod, i) => [pod.name, { service: 30_000 + i, broker: 31_000 + i }]));
  const services = serviceAddresses(objects, ports, pods);
  const worker = pods.find((p) => p.component === 'worker')!;
  const rendered = containerEnvironment(worker.container, { objects, generated: () => 'secret', podName: worker.name });
  const moved = onThisHost(rendered, 'worker', ports.get(worker.name)!, services, '/home');
  expect(moved).toMatchObject({
    DB_POSTGRESDB_HOST: '127.0.0.1',
    DB_POSTGRESDB_PORT: '30000',
    QUEUE_BULL_REDIS_HOST: '127.0.0.1',
    QUEUE_BULL_REDIS_PORT: '30001',
    QUEUE_HEALTH_CHECK_PORT: String(ports.get(worker.name)!.service),
    NODE_OPTIONS: rendered.NODE_OPTIONS,
  });
});

const deployment = (changes: Record<string, unknown>, pod: Record<string, unknown> = {}): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'n8n-main', labels: { 'app.kubernetes.io/component': 'main' } },
  spec: { replicas: 1, template: { spec: { containers: [{ name: 'n8n', image: 'n8n:2.41.1' }], ...pod } }, ...changes },
});

test.each([
  [
    'an init container',
    deployment({}, { initContainers: [{ name: 'wait', image: 'x' }] }),
    'init container wait of Deployment n8n-main',
  ],
  [
    'a sidecar',
    deployment(
      {},
      {
        containers: [
          { name: 'n8n', image: 'n8n:2' },
          { name: 'proxy', image: 'x' },
        ],
      },
    ),
    'sidecar proxy',
  ],
  [
    'a command before the end',
    deployment(
      {},
      {
        containers: [{ name: 'n8n', image: 'n8n:2', lifecycle: { preStop: { exec: { command: ['n8n', 'export'] } } } }],
      },
    ),
    'lifecycle hook of Deployment n8n-main',
  ],
  ['autoscaling', deployment({ replicas: undefined }), 'autoscaling of Deployment n8n-main'],
  ['an unknown kind', { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'nightly' } }, 'CronJob nightly'],
])('listLocalPods refuses what local processes cannot honour: %s', (_, object, named) => {
  expect(() => listLocalPods([object])).toThrow(UsageError);
  expect(() => listLocalPods([object])).toThrow(named);
});

test("the chart's own preStop is left out, since there is no Service to drain", async () => {
  const objects = await render('executions.mode=queue', 'database.type=postgresql');
  const webhook = listLocalPods(objects).find(({ component }) => component === 'webhook');
  expect(webhook?.container.lifecycle).toHaveProperty('preStop');
});

test('files of ConfigMaps are written, and paths to them in the environment follow', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'n8n tuned "mounts" '));
  try {
    const objects = await render();
    const { container, volumes } = listLocalPods(objects).find(({ component }) => component === 'main')!;
    const mounts = await writeConfigMaps(container, volumes, objects, folder);
    const moved = withPathsOnHost({ EXTERNAL_HOOK_FILES: '/opt/n8n-tuned/hooks.js', OTHER: '/opt/n8n-tuned2' }, mounts);
    expect(moved.OTHER).toBe('/opt/n8n-tuned2');
    const { data } = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.endsWith('-hooks'))!;
    expect(await readFile(moved.EXTERNAL_HOOK_FILES!, 'utf8')).toBe(data!['hooks.js']);
    // Node finds the file, whose path has spaces here, however the option is written.
    const file = join(mounts.find(({ onHost }) => onHost.endsWith('/hooks'))!.onHost, 'lazy-character-table.js');
    const { NODE_OPTIONS } = containerEnvironment(container, { objects, generated: () => 'secret', podName: 'main' });
    const inContainer = '/opt/n8n-tuned/lazy-character-table.js';
    for (const given of [
      NODE_OPTIONS!,
      `-r ${inContainer} --no-warnings`,
      `--title="a b" --require="${inContainer}"`,
    ]) {
      const env = withPathsOnHost({ NODE_OPTIONS: given }, mounts);
      const loaded = execFileSync(process.execPath, ['-p', 'Object.keys(require.cache)[0]'], { env });
      expect(loaded.toString().trim()).toBe(file);
    }
    expect(NODE_OPTIONS).toContain('--max-old-space-size=');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("ChartRefused has the chart's own message", async () => {
  const error: unknown = await render('executions.process=own').catch((e: unknown) => e);
  expect(error).toBeInstanceOf(ChartRefused);
  expect((error as ChartRefused).refusal).not.toContain('execution error');
});
