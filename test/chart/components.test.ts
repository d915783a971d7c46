import { type Component, container, env, find, N8N, podSpec, queue, render, type Values, workload } from './render.js';

const n8n: Component[] = ['main', 'worker', 'webhook'];

describe('regular mode', () => {
  const objects = render();

  it('deploys main on a volume with SQLite, and nothing else', () => {
    expect(objects.filter((o) => ['Deployment', 'StatefulSet'].includes(o.kind)).map((o) => o.metadata.name)).toEqual([
      'n8n-tuned-main',
    ]);
    expect(env(objects, 'main')).toMatchObject({ EXECUTIONS_MODE: 'regular', DB_TYPE: 'sqlite' });
    expect(podSpec(objects, 'main').volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'n8n-tuned-main' },
    });
    expect(find(objects, 'PersistentVolumeClaim').metadata.annotations).toEqual({
      'helm.sh/resource-policy': 'keep',
      'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
    });
  });

  it('replaces main rather than run two', () => {
    expect(workload(objects, 'main').spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  });

  it('leaves the command to the image', () => {
    expect(container(objects, 'main')).toMatchObject({ name: 'n8n', image: `docker.io/n8nio/n8n:${N8N}` });
    expect(container(objects, 'main')).not.toHaveProperty('command');
    expect(container(objects, 'main')).not.toHaveProperty('args');
  });

  it('fits a node of 2 cores with room for others', () => {
    expect(container(objects, 'main').resources.requests).toEqual({ cpu: '500m', memory: '1Gi' });
  });

  it('limits concurrency in main where asked', () => {
    expect(env(render({ executions: { concurrencyLimit: 20 } }), 'main').N8N_CONCURRENCY_PRODUCTION_LIMIT).toBe('20');
    // n8n's default. Given, it wins over what extraEnvFrom may hold.
    expect(env(objects, 'main').N8N_CONCURRENCY_PRODUCTION_LIMIT).toBe('-1');
  });

  it('takes PostgreSQL where asked', () => {
    const withPostgresql = render({ database: { type: 'postgresql' } });
    expect(workload(withPostgresql, 'postgresql')).toBeDefined();
    expect(workload(withPostgresql, 'redis')).toBeUndefined();
    expect(env(withPostgresql, 'main')).not.toHaveProperty('QUEUE_BULL_REDIS_HOST');
  });

  it('takes a claim that is there, or none', () => {
    const own = render({ main: { persistence: { existingClaim: 'mine' } } });
    expect(podSpec(own, 'main').volumes[0].persistentVolumeClaim.claimName).toBe('mine');
    expect(find(own, 'PersistentVolumeClaim')).toBeUndefined();
    expect(podSpec(render({ main: { persistence: { enabled: false } } }), 'main').volumes[0].emptyDir).toEqual({});
  });
});

describe('queue mode', () => {
  const objects = render(queue());

  it('deploys main, workers, webhook processors, PostgreSQL and Redis', () => {
    const kinds = Object.fromEntries(
      objects
        .filter((o) => ['Deployment', 'StatefulSet'].includes(o.kind))
        .map((o) => [o.metadata.name, [o.kind, o.spec.replicas]]),
    );
    expect(kinds).toEqual({
      'n8n-tuned-main': ['Deployment', 1],
      'n8n-tuned-worker': ['Deployment', 2],
      'n8n-tuned-webhook': ['Deployment', 2],
      'n8n-tuned-postgresql': ['StatefulSet', 1],
      'n8n-tuned-redis': ['StatefulSet', 1],
    });
  });

  it('runs each by its n8n command', () => {
    expect(container(objects, 'main')).not.toHaveProperty('args');
    expect(container(objects, 'worker').args).toEqual(['worker', '--concurrency=10']);
    expect(container(objects, 'webhook').args).toEqual(['webhook']);
  });

  it('gives every component the same shared environment', () => {
    const shared = (component: Component) => {
      const own = ['NODE_OPTIONS', 'N8N_PORT', 'N8N_DISABLE_PRODUCTION_MAIN_PROCESS', 'LOAD_TARGETS'];
      return Object.entries(env(objects, component)).filter(
        ([name]) =>
          !own.includes(name) && !/^N8N_RUNNERS_|^QUEUE_HEALTH|^N8N_EXPRESSION|^EXTERNAL_HOOK|^N8N_TUNED_/.test(name),
      );
    };
    expect(shared('worker')).toEqual(shared('main'));
    expect(shared('webhook')).toEqual(shared('main'));
    expect(env(objects, 'worker')).toMatchObject({
      DB_TYPE: 'postgresdb',
      DB_POSTGRESDB_HOST: 'n8n-tuned-postgresql',
      DB_POSTGRESDB_POOL_SIZE: '20',
      QUEUE_BULL_REDIS_HOST: 'n8n-tuned-redis',
      QUEUE_BULL_REDIS_DUALSTACK: 'true',
    });
  });

  it("serves a worker's health on the port that its probes ask", () => {
    expect(env(objects, 'worker')).toMatchObject({
      QUEUE_HEALTH_CHECK_ACTIVE: 'true',
      QUEUE_HEALTH_CHECK_PORT: '5678',
    });
    expect(container(objects, 'worker').ports).toEqual([{ name: 'http', containerPort: 5678 }]);
  });

  it('takes production webhooks from main where there are webhook processors, and only there', () => {
    expect(env(objects, 'main').N8N_DISABLE_PRODUCTION_MAIN_PROCESS).toBe('true');
    const without = render(queue({ webhook: { replicas: 0 } }));
    expect(env(without, 'main')).not.toHaveProperty('N8N_DISABLE_PRODUCTION_MAIN_PROCESS');
    expect(workload(without, 'webhook')).toBeUndefined();
    expect(find(without, 'Service', 'n8n-tuned-webhook')).toBeUndefined();
  });

  it('runs no task runner on webhook processors', () => {
    expect(Object.keys(env(objects, 'webhook')).filter((name) => name.startsWith('N8N_RUNNERS_'))).toEqual([]);
    expect(env(objects, 'worker').N8N_RUNNERS_MODE).toBe('internal');
  });

  it('limits the connections of PostgreSQL by value', () => {
    const pg = container(render(queue({ postgresql: { maxConnections: 300 } })), 'postgresql');
    expect([...pg.command, ...pg.args]).toEqual(['docker-entrypoint.sh', 'postgres', '-c', 'max_connections=300']);
  });
});

test('settings of PostgreSQL are arguments, a boolean of YAML too', () => {
  const parameters = { synchronous_commit: false, shared_buffers: '256MB', work_mem: 8 };
  const pg = container(render(queue({ postgresql: { parameters } })), 'postgresql');
  expect(pg.args.filter((arg: string) => arg !== '-c')).toEqual([
    'max_connections=250',
    'shared_buffers=256MB',
    'synchronous_commit=false',
    'work_mem=8',
  ]);
});

it('limits the data of Redis below its memory, so that it refuses and does not die', () => {
  const conf = (redis: Values) => container(render(queue({ redis })), 'redis').args[0] as string;
  expect(conf({})).toMatch(/appendfsync everysec\n\s*maxmemory 307mb\n\s*maxmemory-policy noeviction/);
  const other = conf({ maxMemoryPercent: 50, resources: { limits: { memory: '1Gi' } }, persistence: { fsync: 'no' } });
  expect(other).toMatch(/appendfsync no\n\s*maxmemory 512mb/);
});

describe('external PostgreSQL and Redis', () => {
  const values = queue({
    externalPostgresql: { host: 'pg.example.com', existingSecret: 'pg', tls: { enabled: true } },
    externalRedis: { host: 'redis.example.com', existingSecret: 'redis', user: 'n8n', tls: { enabled: true } },
  });
  const objects = render(values);

  it('embeds neither', () => {
    expect(workload(objects, 'postgresql')).toBeUndefined();
    expect(workload(objects, 'redis')).toBeUndefined();
  });

  it.each(n8n)('connects %s to them with TLS and the Secrets named', (component) => {
    expect(env(objects, component)).toMatchObject({
      DB_POSTGRESDB_HOST: 'pg.example.com',
      DB_POSTGRESDB_PASSWORD: { secretKeyRef: { name: 'pg', key: 'password' } },
      DB_POSTGRESDB_SSL_ENABLED: 'true',
      DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED: 'true',
      QUEUE_BULL_REDIS_HOST: 'redis.example.com',
      QUEUE_BULL_REDIS_USERNAME: 'n8n',
      QUEUE_BULL_REDIS_PASSWORD: { secretKeyRef: { name: 'redis', key: 'password' } },
      QUEUE_BULL_REDIS_TLS: 'true',
    });
    expect(env(objects, component)).not.toHaveProperty('DB_POSTGRESDB_SSL');
  });

  it('connects to a Redis without a password', () => {
    const open = render(queue({ externalRedis: { host: 'redis.example.com' } }));
    expect(env(open, 'worker')).not.toHaveProperty('QUEUE_BULL_REDIS_PASSWORD');
  });
});

describe('every pod', () => {
  const objects = render(queue({ webhookUrl: 'https://n8n.example.com/', metrics: { enabled: true } }));
  const pods = objects.filter((o) => o.spec?.template).map((o) => [o.metadata.name as string, o] as const);

  it.each(pods)('%s runs without privileges', (_name, object) => {
    const { spec } = object.spec.template;
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(spec.securityContext.runAsUser).toBe(/postgresql|redis/.test(object.metadata.name) ? 999 : 1000);
    for (const { securityContext, imagePullPolicy } of spec.containers) {
      expect(securityContext).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
      expect(imagePullPolicy).toBe('IfNotPresent');
    }
  });

  it.each(pods)('%s has a token only if it makes the Secret', (_name, object) => {
    expect(object.spec.template.spec.automountServiceAccountToken).toBe(object.kind === 'Job');
  });

  it.each(pods)('%s is not restarted by a new chart version alone', (_name, object) => {
    expect(object.spec.template.metadata.labels).not.toHaveProperty('helm.sh/chart');
  });

  it.each(n8n)('%s knows its URLs, and not by a name that is deprecated', (component) => {
    const url = 'https://n8n.example.com/';
    expect(env(objects, component)).toMatchObject({ N8N_WEBHOOK_URL: url });
    expect(env(objects, component)).not.toHaveProperty('WEBHOOK_URL');
    expect(env(objects, component)).not.toHaveProperty('N8N_EDITOR_BASE_URL');
    const [old, editorUrl] = ['2.29.0', 'https://editor.example.com/'];
    const before = render(queue({ image: { tag: old }, webhookUrl: url, editorUrl }));
    expect(env(before, component)).toMatchObject({ WEBHOOK_URL: url, N8N_EDITOR_BASE_URL: editorUrl });
    expect(env(before, component)).not.toHaveProperty('N8N_WEBHOOK_URL');
    // With a URL of its own the editor shows the URLs of its tests below that.
    const apart = env(render(queue({ webhookUrl: url, editorUrl })), component);
    expect(apart).toMatchObject({ WEBHOOK_URL: url, N8N_EDITOR_BASE_URL: editorUrl });
    expect(apart).not.toHaveProperty('N8N_WEBHOOK_URL');
  });

  it('has no user of its own where the cluster assigns one, and what the values add', () => {
    const securityContext = {
      setIds: false,
      pod: { supplementalGroups: [7], seccompProfile: { type: 'Localhost' } },
      container: { capabilities: { add: ['NET_BIND_SERVICE'] } },
    };
    for (const { spec } of render(queue({ securityContext })).filter((o) => o.spec?.template)) {
      const pod = spec.template.spec;
      expect(pod.securityContext).toEqual({
        runAsNonRoot: true,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'Localhost' },
        supplementalGroups: [7],
      });
      for (const container of [...pod.containers, ...(pod.initContainers ?? [])])
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
        });
    }
  });

  it.each(n8n)(
    '%s serves the metrics that executions are counted and database connections are seen by',
    (component) => {
      expect(env(objects, component)).toMatchObject({
        N8N_METRICS: 'true',
        N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS: 'true',
        N8N_METRICS_INCLUDE_WORKFLOW_ID_LABEL: 'true',
        N8N_METRICS_INCLUDE_DB_POOL_METRICS: 'true',
        N8N_METRICS_INCLUDE_QUEUE_METRICS: 'true',
      });
    },
  );

  it.each(n8n)('%s is probed by HTTP', (component) => {
    const { startupProbe, livenessProbe, readinessProbe } = container(objects, component);
    expect(startupProbe.httpGet).toEqual({ path: '/healthz', port: 'http' });
    expect(livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'http' });
    expect(readinessProbe.httpGet).toEqual({ path: '/healthz/readiness', port: 'http' });
  });

  it.each(n8n)('%s has time for its executions to finish', (component) => {
    const longer = render(queue({ gracefulShutdown: { timeoutSeconds: 120 } }));
    expect(env(longer, component).N8N_GRACEFUL_SHUTDOWN_TIMEOUT).toBe('120');
    // Webhook processors go on serving for 5 s first.
    expect(podSpec(longer, component).terminationGracePeriodSeconds).toBe(component === 'webhook' ? 135 : 130);
  });

  it.each(n8n)('%s takes extraEnv', (component) => {
    const extraEnv = [
      { name: 'N8N_TEMPLATES_ENABLED', value: 'false' },
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ];
    expect(env(render(queue({ extraEnv })), component)).toMatchObject({
      N8N_TEMPLATES_ENABLED: 'false',
      POD: { fieldRef: { fieldPath: 'metadata.name' } },
    });
  });

  it('names no variable twice', () => {
    for (const [, { spec }] of pods) {
      const names: string[] = (spec.template.spec.containers[0].env ?? []).map((e: any) => e.name);
      expect(names).toEqual([...new Set(names)]);
    }
  });
});
