import { adoptManifests } from '../../../capacity/src/chart/adopt.js';
import { describeDeployment } from '../../../capacity/src/chart/describe.js';
import { n8nVersion, type KubernetesObject } from '../../../capacity/src/chart/objects.js';
import { listLocalPods } from '../../../capacity/src/chart/pods.js';

const IMAGE = 'docker.n8n.io/n8nio/n8n:2.41.1';

/** A workload of some chart. */
function workload(name: string, container: object = {}, spec: object = {}): KubernetesObject {
  const containers = [{ name, image: IMAGE, envFrom: [{ configMapRef: { name: 'settings' } }], ...container }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas: 1, template: { spec: { containers, ...spec } } },
  };
}

const settings = (data: Record<string, string>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data,
});

const QUEUE = {
  EXECUTIONS_MODE: 'queue',
  DB_TYPE: 'postgresdb',
  DB_POSTGRESDB_HOST: 'pg.data',
  QUEUE_BULL_REDIS_HOST: 'rd',
};
const fromSecret = (name: string, secret: string, key: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: secret, key } },
});

/** Queue mode with two workers, as other charts deploy it. */
const queue = (data: Record<string, string> = QUEUE): KubernetesObject[] => [
  settings(data),
  workload('n8n', { env: [fromSecret('N8N_ENCRYPTION_KEY', 'core', 'encryption-key')] }),
  {
    ...workload('n8n-worker', {
      command: ['n8n'],
      args: ['worker', '--concurrency=7'],
      resources: { limits: { cpu: '1', memory: '1Gi' } },
      env: [fromSecret('N8N_ENCRYPTION_KEY', 'core', 'encryption-key')],
    }),
  },
  workload('n8n-webhook', { command: ['n8n'], args: ['webhook'] }),
];

const readEnvironment = (objects: KubernetesObject[], name: string): Record<string, string | undefined> =>
  Object.fromEntries(
    listLocalPods(objects)
      .find((pod) => pod.name === `${name}-0`)!
      .container.env!.map((variable) => [variable.name, variable.value]),
  );

test('adoptManifests returns the pods of another chart and the databases that they connect to', () => {
  const { objects } = adoptManifests(queue());
  expect(listLocalPods(objects).map(({ name, component }) => [name, component])).toEqual([
    ['provided-postgresql-0', 'postgresql'],
    ['provided-redis-0', 'redis'],
    ['n8n-0', 'main'],
    ['n8n-worker-0', 'worker'],
    ['n8n-webhook-0', 'webhook'],
  ]);
  expect(n8nVersion(objects)).toBe('2.41.1');
  expect(describeDeployment(listLocalPods(objects))).toMatchObject({ mode: 'queue', database: 'postgresdb', slots: 7 });
  const worker = listLocalPods(objects).find(({ component }) => component === 'worker')!;
  expect(worker.limits).toEqual({ cpuMillis: 1000, memoryBytes: 2 ** 30 });
  expect(worker.container.args).toEqual(['worker', '--concurrency=7']);
});

test('a Secret that the manifests do not contain has the same value for all pods', () => {
  const { objects } = adoptManifests(queue());
  const key = readEnvironment(objects, 'n8n').N8N_ENCRYPTION_KEY;
  expect(key).toMatch(/^[0-9a-f]{48}$/);
  expect(readEnvironment(objects, 'n8n-worker').N8N_ENCRYPTION_KEY).toBe(key);
  expect(readEnvironment(objects, 'provided-postgresql').POSTGRES_PASSWORD).toBe(
    readEnvironment(objects, 'n8n').DB_POSTGRESDB_PASSWORD,
  );
});

test('the notes list every difference from the manifests', () => {
  const [configMap, main, ...others] = queue();
  const more = [
    workload('n8n-mcp', { command: ['n8n'], args: ['webhook'] }),
    workload('n8n-more', { command: ['n8n'], args: ['webhook'] }),
    workload('cache', { image: 'memcached', envFrom: [] }),
  ];
  (more[1]!.spec as { replicas: number }).replicas = 3;
  main!.spec!.template!.spec.initContainers = [{ name: 'permissions', image: 'busybox' }];
  const { notes } = adoptManifests([configMap!, main!, ...others, ...more]);
  const matchingNotes = (part: RegExp) => notes.filter((note) => part.test(note));
  expect(matchingNotes(/n8n-mcp is left out|n8n-webhook is left out/)).toHaveLength(2);
  expect(matchingNotes(/Deployment cache is left out$/)).toHaveLength(1);
  expect(matchingNotes(/container permissions of Deployment n8n/)).toHaveLength(1);
  expect(matchingNotes(/PostgreSQL of this machine replaces pg\.data/)).toHaveLength(1);
});

test('the option n8n replaces the version of the image', () => {
  expect(n8nVersion(adoptManifests(queue(), { n8n: '2.40.0' }).objects)).toBe('2.40.0');
});

describe('overrides of a run', () => {
  const adoptWith = (overrides: Record<string, string | number>, objects = queue()) =>
    adoptManifests(objects, { overrides });
  const podsNow = (overrides: Record<string, string | number>, objects = queue()) =>
    listLocalPods(adoptWith(overrides, objects).objects).filter(({ component }) => !/redis|postgresql/.test(component));
  const worker = (overrides: Record<string, string | number>, objects = queue()) =>
    podsNow(overrides, objects).find(({ component }) => component === 'worker')!;

  it('set variables in all pods of n8n, and leave their values out of the notes', () => {
    const all = podsNow({ N8N_LOG_LEVEL: 'warn' });
    expect(all.map(({ container }) => container.env!.find((e) => e.name === 'N8N_LOG_LEVEL')?.value)).toEqual(
      all.map(() => 'warn'),
    );
    expect(adoptWith({ DB_POSTGRESDB_PASSWORD: 'geheim' }).notes.join()).not.toContain('geheim');
  });

  it('can add a database by a variable', () =>
    expect(
      listLocalPods(adoptWith({ DB_TYPE: 'postgresdb' }, [settings({}), workload('n8n')]).objects)[0]!.component,
    ).toBe('postgresql'));

  it('change the workers, the webhook processors and the containers that run executions', () => {
    const parts = { workers: 3, webhooks: 2, cpu: '500m', memory: '2Gi', concurrency: 12, heap: 900 };
    expect(podsNow(parts).map(({ component }) => component)).toEqual([
      ...['main', 'worker', 'worker', 'worker', 'webhook', 'webhook'],
    ]);
    const { limits, container } = worker(parts);
    expect(limits).toEqual({ cpuMillis: 500, memoryBytes: 2 * 2 ** 30 });
    expect(container.args).toEqual(['worker', '--concurrency=12']);
    expect(container.env).toContainEqual({ name: 'NODE_OPTIONS', value: '--max-old-space-size=900' });
    expect(describeDeployment(listLocalPods(adoptWith(parts).objects)).slots).toBe(36);
  });

  it('change the variable of the concurrency, which wins over the argument', () => {
    const objects = queue({ ...QUEUE, N8N_CONCURRENCY_PRODUCTION_LIMIT: '5' });
    expect(describeDeployment(listLocalPods(adoptWith({ concurrency: 12 }, objects).objects)).slots).toBe(12);
  });

  it('change main in regular mode, and keep its other options of Node', () => {
    const one = [settings({ NODE_OPTIONS: '--max-old-space-size=512 --no-warnings' }), workload('n8n')];
    const { env } = podsNow({ concurrency: 9, heap: 700 }, one)[0]!.container;
    expect(env).toContainEqual({ name: 'N8N_CONCURRENCY_PRODUCTION_LIMIT', value: '9' });
    expect(env).toContainEqual({ name: 'NODE_OPTIONS', value: '--no-warnings --max-old-space-size=700' });
  });

  it('are refused if the deployment has no such part', () =>
    expect(() => adoptWith({ workers: 2 }, [settings({}), workload('n8n')])).toThrow(/have no worker/));
});

test.each([
  ['no n8n at all', [settings(QUEUE)], /have no Deployment or StatefulSet that runs n8n's main/],
  ['a tag that names no version', [settings({}), workload('n8n', { image: 'n8nio/n8n:stable' })], /--n8n 2\.41\.1/],
  ['a shell', [settings({}), workload('n8n', { command: ['sh', '-c', 'n8n start'] })], /container n8n: starts "sh/],
  ['another database', [settings({ DB_TYPE: 'mysqldb' }), workload('n8n')], /DB_TYPE=mysqldb/],
  ['runners in sidecars', [settings({ N8N_RUNNERS_MODE: 'external' }), workload('n8n')], /N8N_RUNNERS_MODE=external/],
  [
    'a Secret whose value cannot be generated',
    [settings({}), workload('n8n', { env: [fromSecret('SMTP', 's', 'host')] })],
    /SMTP/,
  ],
  ['several Redis', queue({ ...QUEUE, QUEUE_BULL_REDIS_CLUSTER_NODES: 'a:1' }), /QUEUE_BULL_REDIS_CLUSTER_NODES/],
] as [string, KubernetesObject[], RegExp][])('refuses %s', (_, objects, message) =>
  expect(() => adoptManifests(objects)).toThrow(message),
);
