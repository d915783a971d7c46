import {
  type Component,
  env,
  find,
  heapOptions,
  type Manifest,
  notes,
  podSpec,
  queue,
  render,
  renderFor,
  type Values,
  N8N,
} from './render.js';

const external = (more: Values = {}, values: Values = {}) =>
  queue({ taskRunners: { mode: 'external', ...more }, ...values });
const sidecar = (objects: Manifest[], component: Component): Manifest =>
  [...(podSpec(objects, component).initContainers ?? []), ...podSpec(objects, component).containers].find(
    ({ name }) => name === 'runner',
  );
const sidecarEnv = (objects: Manifest[], component: Component): Record<string, any> =>
  Object.fromEntries(sidecar(objects, component).env.map((e: any) => [e.name, e.value ?? e.valueFrom]));

describe('internal', () => {
  it('needs no container, token or key', () => {
    const objects = render(queue());
    expect(sidecar(objects, 'worker')).toBeUndefined();
    expect(env(objects, 'worker')).toMatchObject({
      N8N_RUNNERS_MODE: 'internal',
      N8N_RUNNERS_MAX_CONCURRENCY: '10',
      N8N_RUNNERS_TASK_TIMEOUT: '300',
    });
    expect(env(objects, 'worker')).not.toHaveProperty('N8N_RUNNERS_AUTH_TOKEN');
    expect(JSON.stringify(objects)).not.toContain('runners-auth-token');
  });

  it('leaves n8n 1.x as it is: without runners', () => {
    const { N8N_RUNNERS_ENABLED: enabled, N8N_RUNNERS_MODE: mode } = env(
      render({ image: { tag: '1.123.81' } }),
      'main',
    );
    expect([enabled, mode]).toEqual([undefined, undefined]);
  });
});

describe('external', () => {
  it('is beside what has a broker: main and workers, not webhook processors', () => {
    const objects = render(external());
    expect(sidecar(objects, 'main')).toBeDefined();
    expect(sidecar(objects, 'worker')).toBeDefined();
    expect(sidecar(objects, 'webhook')).toBeUndefined();
    expect(Object.keys(env(objects, 'webhook')).filter((name) => name.startsWith('N8N_RUNNERS_'))).toEqual([]);
  });

  it('takes variables, volumes, and which modules the code may import', () => {
    const config = {
      'task-runners': [{ 'runner-type': 'javascript', 'env-overrides': { NODE_FUNCTION_ALLOW_BUILTIN: '*' } }],
    };
    const objects = render(
      external({
        config,
        extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }],
        extraVolumes: [{ name: 'packages', emptyDir: {} }],
        extraVolumeMounts: [{ name: 'packages', mountPath: '/packages' }],
      }),
    );
    const map = objects.find((o) => o.kind === 'ConfigMap' && o.metadata.name === 'n8n-tuned-runners');
    expect(JSON.parse(map.data['n8n-task-runners.json'])).toEqual(config);
    const runner = sidecar(objects, 'worker');
    expect(runner.env).toContainEqual({ name: 'HTTPS_PROXY', value: 'http://proxy:3128' });
    expect(runner.volumeMounts).toContainEqual({ name: 'packages', mountPath: '/packages' });
    expect(runner.volumeMounts).toContainEqual(
      expect.objectContaining({ name: 'runner-config', mountPath: '/etc/n8n-task-runners.json' }),
    );
    const volumes = podSpec(objects, 'worker').volumes;
    expect(volumes).toContainEqual({ name: 'runner-config', configMap: { name: 'n8n-tuned-runners' } });
    expect(volumes).toContainEqual({ name: 'packages', emptyDir: {} });
    expect(JSON.stringify(podSpec(objects, 'webhook').volumes)).not.toContain('packages');
  });

  it('is not beside a main that runs nothing', () => {
    const extraEnv = [{ name: 'OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS', value: 'true' }];
    const objects = render(external({}, { extraEnv }));
    expect(sidecar(objects, 'main')).toBeUndefined();
    expect(env(objects, 'main')).not.toHaveProperty('N8N_RUNNERS_MODE');
    expect(sidecar(objects, 'worker')).toBeDefined();
  });

  it.each(['main', 'worker'] as const)('both ends of %s agree on port, token and times', (component) => {
    const objects = render(external({ brokerPort: 6000, taskTimeoutSeconds: 60, maxConcurrency: 3 }));
    const token = { secretKeyRef: { name: 'n8n-tuned-generated', key: 'runners-auth-token' } };
    expect(env(objects, component)).toMatchObject({
      N8N_RUNNERS_MODE: 'external',
      N8N_RUNNERS_BROKER_PORT: '6000',
      N8N_RUNNERS_TASK_TIMEOUT: '60',
      N8N_RUNNERS_AUTH_TOKEN: token,
    });
    expect(sidecarEnv(objects, component)).toMatchObject({
      N8N_RUNNERS_TASK_BROKER_URI: 'http://127.0.0.1:6000',
      N8N_RUNNERS_TASK_TIMEOUT: '60',
      N8N_RUNNERS_MAX_CONCURRENCY: '3',
      N8N_RUNNERS_AUTH_TOKEN: token,
    });
    const job = find(objects, 'Job').spec.template.spec.containers[0].env.find((e: any) => e.name === 'SECRET_KEYS');
    expect(job.value.split(',')).toContain('runners-auth-token');
  });

  it("takes the user's token, and then makes none", () => {
    const objects = render(external({ authToken: { existingSecret: 'mine' } }));
    const token = { secretKeyRef: { name: 'mine', key: 'runners-auth-token' } };
    expect(env(objects, 'worker').N8N_RUNNERS_AUTH_TOKEN).toEqual(token);
    expect(sidecarEnv(objects, 'worker').N8N_RUNNERS_AUTH_TOKEN).toEqual(token);
    const job = find(objects, 'Job').spec.template.spec.containers[0].env.find((e: any) => e.name === 'SECRET_KEYS');
    expect(job.value).not.toContain('runners-auth-token');
  });

  it("is a sidecar proper where Kubernetes has them, of n8n's version, probed and without privileges", () => {
    const objects = render(external());
    expect(podSpec(objects, 'worker').containers).toHaveLength(1);
    const runner = sidecar(objects, 'worker');
    expect(runner).toMatchObject({
      image: `docker.io/n8nio/runners:${N8N}`,
      restartPolicy: 'Always',
      args: ['javascript'],
      ports: [{ name: 'runner-health', containerPort: 5680 }],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      expect(runner[probe].httpGet).toEqual({ path: '/healthz', port: 'runner-health' });
    // n8n's secrets are n8n's alone.
    expect(JSON.stringify(runner)).not.toMatch(/encryption-key|postgresql-password|redis-password/);
  });

  it('is an ordinary container before Kubernetes 1.29', () => {
    const objects = renderFor('1.28.0', external());
    expect(podSpec(objects, 'worker').containers.map((c: Manifest) => c.name)).toEqual(['n8n', 'runner']);
    expect(podSpec(objects, 'worker')).not.toHaveProperty('initContainers');
    expect(sidecar(objects, 'worker')).not.toHaveProperty('restartPolicy');
  });

  it.each([
    ['1.35.0', '7'], // asked when n8n has ended
    ['1.28.0', '60'], // asked together with n8n
  ])('ends in time on Kubernetes %s', (kubernetes, seconds) => {
    const gracefulShutdown = { timeoutSeconds: 60, marginSeconds: 7 };
    expect(sidecarEnv(renderFor(kubernetes, external({}, { gracefulShutdown })), 'worker')).toMatchObject({
      N8N_RUNNERS_GRACEFUL_SHUTDOWN_TIMEOUT: seconds,
      N8N_RUNNERS_LAUNCHER_GRACEFUL_SHUTDOWN_TIMEOUT: seconds,
    });
  });

  it('is switched on in n8n 1.x too, for which there is an image', () => {
    const objects = render(external({}, { image: { tag: '1.123.81' } }));
    expect(env(objects, 'worker')).toMatchObject({ N8N_RUNNERS_ENABLED: 'true', N8N_RUNNERS_MODE: 'external' });
    expect(sidecar(objects, 'worker').image).toBe('docker.io/n8nio/runners:1.123.81');
  });
});

describe('memory', () => {
  it("n8n's container has no runner in its limit, and the sidecar its own", () => {
    const objects = render(external());
    expect(heapOptions(objects, 'main')).toBe('--max-old-space-size=1639'); // 2048 - 20 %
    expect(env(objects, 'worker')).not.toHaveProperty('N8N_RUNNERS_MAX_OLD_SPACE_SIZE');
    expect(sidecarEnv(objects, 'worker').NODE_OPTIONS).toBe('--max-old-space-size=384'); // 512 - (96 + 32)
  });

  it.each([
    [{ limits: { memory: '1Gi' } }, ['javascript'], '820'], // 1024 - 20 %
    [{ limits: { memory: '768Mi' } }, ['javascript', 'python'], '512'], // 768 - (96 + 32 + 128)
  ])('of %j with %j is %s', (resources, types, heap) => {
    const objects = render(external({ resources, types }));
    expect(sidecarEnv(objects, 'main').NODE_OPTIONS).toBe(`--max-old-space-size=${heap}`);
    expect(sidecar(objects, 'main').args).toEqual(types);
  });

  it('is given by component, is not set for Python alone, and is left to V8 on demand', () => {
    const given = render(external({}, { worker: { heap: { runner: 200 } } }));
    expect(sidecarEnv(given, 'worker').NODE_OPTIONS).toBe('--max-old-space-size=200');
    expect(sidecarEnv(given, 'main').NODE_OPTIONS).toBe('--max-old-space-size=384');
    expect(sidecarEnv(render(external({ types: ['python'] })), 'main')).not.toHaveProperty('NODE_OPTIONS');
    expect(sidecarEnv(render(external({}, { heap: { enabled: false } })), 'main')).not.toHaveProperty('NODE_OPTIONS');
  });

  it('is in the table of the notes', async () => {
    expect(await notes(external())).toMatch(
      /main +2048 +1639 +- +409\n +- runner +512 +- +384 +128\n +worker +2048 +\d+ +- +\d+\n +- runner +512 +- +384 +128\n +webhook/,
    );
  });
});
