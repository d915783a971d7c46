import { container, env, N8N, queue, render } from './render.js';

/** What each n8n reads, and so is given; a version stands for all from it to the next. */
const cases: { tag: string; has: Record<string, string>; hasNot: string[]; readiness: string }[] = [
  {
    tag: '0.221.2',
    has: { EXECUTIONS_PROCESS: 'main', QUEUE_WORKER_TIMEOUT: '30' },
    hasNot: ['N8N_GRACEFUL_SHUTDOWN_TIMEOUT', 'DB_POSTGRESDB_POOL_SIZE', 'N8N_RUNNERS_MAX_OLD_SPACE_SIZE'],
    readiness: '/healthz',
  },
  {
    tag: '1.26.0',
    has: { EXECUTIONS_PROCESS: 'main', N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '30', DB_POSTGRESDB_POOL_SIZE: '20' },
    hasNot: ['QUEUE_WORKER_TIMEOUT', 'N8N_RUNNERS_MAX_OLD_SPACE_SIZE'],
    readiness: '/healthz',
  },
  {
    tag: '1.27.0',
    has: { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '30', WEBHOOK_URL: 'https://n8n.example.com' },
    hasNot: ['EXECUTIONS_PROCESS', 'N8N_RUNNERS_MAX_OLD_SPACE_SIZE', 'N8N_WEBHOOK_URL'],
    readiness: '/healthz',
  },
  {
    tag: '1.123.81',
    has: { DB_POSTGRESDB_POOL_SIZE: '20' },
    hasNot: ['EXECUTIONS_PROCESS', 'N8N_RUNNERS_MAX_OLD_SPACE_SIZE'],
    readiness: '/healthz/readiness',
  },
  {
    tag: '2.41.1',
    has: { N8N_RUNNERS_MODE: 'internal', N8N_WEBHOOK_URL: 'https://n8n.example.com' },
    hasNot: ['EXECUTIONS_PROCESS', 'QUEUE_WORKER_TIMEOUT'],
    readiness: '/healthz/readiness',
  },
];

describe.each(cases)('n8n $tag', ({ tag, has, hasNot, readiness }) => {
  const objects = render(queue({ image: { tag }, webhookUrl: 'https://n8n.example.com' }));

  it('gets the variables that it reads', () => expect(env(objects, 'worker')).toMatchObject(has));
  it('gets none that it does not', () => {
    for (const name of hasNot) expect(env(objects, 'worker')).not.toHaveProperty(name);
  });
  it('is probed on the path that it has', () => {
    expect(container(objects, 'worker').readinessProbe.httpGet.path).toBe(readiness);
  });
});

it.each([
  ['1.57.0', '/healthz', '/healthz'],
  ['1.58.0', '/healthz/readiness', '/healthz/routes'],
  ['2.12.0', '/healthz/readiness', '/healthz/routes'],
  ['2.13.0', '/healthz', '/healthz/readiness'],
])('the webhook processors of %s have started on %s and are ready on %s', (tag, startup, readiness) => {
  const objects = render(queue({ image: { tag }, webhook: { replicas: 1 } }));
  const { startupProbe, readinessProbe } = container(objects, 'webhook');
  expect([startupProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual([startup, readiness]);
  const answered = readiness === '/healthz/routes' ? readiness : undefined;
  expect(env(objects, 'webhook').N8N_TUNED_READINESS_PATH).toBe(answered);
});

it('n8n is ready on its own path if the hooks do not answer', () => {
  const { readinessProbe } = container(
    render({ image: { tag: '1.123.81' }, probes: { waitForRoutes: false } }),
    'main',
  );
  expect(readinessProbe.httpGet.path).toBe('/healthz/readiness');
});

it.each(['0.221.2', '1.26.0'])('own mode is set explicitly in %s', (tag) => {
  const values = { image: { tag }, executions: { process: 'own' } };
  expect(env(render(values), 'main').EXECUTIONS_PROCESS).toBe('own');
});

it('starts old images without the entrypoint that changes the user', () => {
  expect(container(render({ image: { tag: '0.221.2' } }), 'main').command).toEqual(['tini', '--', 'n8n']);
});

it.each([
  [{ tag: 'v2.41.1' }, 'docker.io/n8nio/n8n:v2.41.1', '2.41.1'],
  [{ tag: '2.42.0-exp.1' }, 'docker.io/n8nio/n8n:2.42.0-exp.1', '2.42.0'],
  [{ tag: 'ours', version: '1.123.81' }, 'docker.io/n8nio/n8n:ours', '1.123.81'],
  [{ digest: `sha256:${'a'.repeat(64)}`, version: '2.41.1' }, `docker.io/n8nio/n8n@sha256:${'a'.repeat(64)}`, '2.41.1'],
  [{ repository: 'registry.example.com:5000/team/n8n' }, `registry.example.com:5000/team/n8n:${N8N}`, N8N],
])('image %j is %s, n8n %s', (image, name, version) => {
  const objects = render({ image });
  expect(container(objects, 'main').image).toBe(name);
  expect(objects.find((o) => o.kind === 'Deployment').metadata.labels['app.kubernetes.io/version']).toBe(version);
});
