import {
  valuesOf,
  type Component,
  env,
  find,
  podSpec,
  queue,
  render,
  renderFor,
  type Values,
  workload,
} from './render.js';

const file = (name: string): Values => valuesOf(`ci/${name}-values.yaml`);
const connections = { postgresql: { maxConnections: 1000 } };
const scaled = (component: string, autoscaling: Values, more: Values = {}) =>
  queue({ ...connections, [component]: { autoscaling, ...more } });

describe('replicas', () => {
  it('are left out where something else scales, so that an upgrade does not undo it', () => {
    const objects = render(file('autoscaling-hpa'));
    expect(workload(objects, 'worker').spec).not.toHaveProperty('replicas');
    expect(workload(objects, 'webhook').spec).not.toHaveProperty('replicas');
    expect(workload(objects, 'main').spec.replicas).toBe(1);
    expect(workload(render(file('autoscaling-keda')), 'worker').spec).not.toHaveProperty('replicas');
  });

  it('stay where only the other component is scaled', () => {
    const objects = render(scaled('worker', { type: 'hpa' }));
    expect(workload(objects, 'worker').spec).not.toHaveProperty('replicas');
    expect(workload(objects, 'webhook').spec.replicas).toBe(2);
  });
});

describe('HorizontalPodAutoscaler', () => {
  const objects = render(file('autoscaling-hpa'));

  it.each([
    ['worker', 1, 6, 80],
    ['webhook', 2, 4, 70],
  ])('%s', (component, minReplicas, maxReplicas, averageUtilization) => {
    const { spec, metadata } = find(objects, 'HorizontalPodAutoscaler', `n8n-tuned-${component}`);
    expect(metadata.annotations).toEqual({ 'validations.keda.sh/hpa-ownership': 'false' });
    expect(spec).toMatchObject({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: `n8n-tuned-${component}` },
      minReplicas,
      maxReplicas,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }],
    });
  });

  it('scales webhook processors by further metrics, too', () => {
    const waiting = {
      type: 'Pods',
      pods: {
        metric: { name: 'n8n_admission_requests_demand' },
        target: { type: 'AverageValue', averageValue: '10' },
      },
    };
    const { spec } = find(render(scaled('webhook', { type: 'hpa', metrics: [waiting] })), 'HorizontalPodAutoscaler');
    expect(spec.metrics.slice(1)).toEqual([waiting]);
  });

  it.each([
    [30, 300, 40],
    [600, 610, 610],
    [7200, 3600, 1800],
  ])('takes one pod away in a grace period, with n8n waiting %d s', (timeoutSeconds, window, period) => {
    const waiting = render(
      queue({ ...connections, gracefulShutdown: { timeoutSeconds }, worker: { autoscaling: { type: 'hpa' } } }),
    );
    expect(find(waiting, 'HorizontalPodAutoscaler').spec.behavior).toEqual({
      scaleUp: { stabilizationWindowSeconds: 0 },
      scaleDown: { stabilizationWindowSeconds: window, policies: [{ type: 'Pods', value: 1, periodSeconds: period }] },
    });
  });

  it('takes its behaviour from the values', () => {
    expect(find(objects, 'HorizontalPodAutoscaler', 'n8n-tuned-webhook').spec.behavior).toEqual({
      scaleDown: { stabilizationWindowSeconds: 600 },
    });
  });
});

describe('KEDA', () => {
  const triggers = (values: Values) => find(render(values), 'ScaledObject', 'n8n-tuned-worker').spec.triggers;

  it("counts waiting and running executions under the queue's real keys", () => {
    const { spec } = find(
      render(scaled('worker', { type: 'keda', minReplicas: 0, maxReplicas: 7 }, { concurrency: 15 })),
      'ScaledObject',
    );
    expect(spec).toMatchObject({
      scaleTargetRef: { name: 'n8n-tuned-worker' },
      minReplicaCount: 0,
      maxReplicaCount: 7,
      advanced: {
        scalingModifiers: { formula: 'active + waiting', target: '15' },
        horizontalPodAutoscalerConfig: { behavior: { scaleDown: { policies: [{ value: 1 }] } } },
      },
    });
    const address = 'n8n-tuned-redis.default.svc:6379';
    const authenticationRef = { name: 'n8n-tuned-worker' };
    expect(spec.triggers).toEqual([
      {
        type: 'redis',
        name: 'active',
        metadata: { address, listName: 'bull:jobs:active', listLength: '15' },
        authenticationRef,
      },
      {
        type: 'redis',
        name: 'waiting',
        metadata: { address, listName: 'bull:jobs:wait', listLength: '15' },
        authenticationRef,
      },
    ]);
  });

  it('asks a Redis Cluster for the key with braces', () => {
    const [active, waiting] = triggers(file('autoscaling-keda'));
    expect([active.type, waiting.type]).toEqual(['redis-cluster', 'redis-cluster']);
    expect(waiting.metadata).toEqual({
      addresses: 'redis-0.example.com:6379,redis-1.example.com:6379,redis-2.example.com:6379',
      enableTLS: 'true',
      listLength: '8',
      listName: '{bull}:jobs:wait',
      username: 'n8n',
    });
    expect(active.metadata.listName).toBe('{bull}:jobs:active');
  });

  it.each([
    ['redis.example.com', 'redis.example.com:6380'],
    ['redis', 'redis.default.svc:6380'],
    ['10.0.0.7', '10.0.0.7:6380'],
  ])('finds Redis at %s from its own namespace', (host, address) => {
    const externalRedis = { host, port: 6380, database: 3, prefix: 'prod', existingSecret: 'redis' };
    const [, waiting] = triggers({ ...scaled('worker', { type: 'keda' }), externalRedis });
    expect(waiting.metadata).toEqual({ address, databaseIndex: '3', listLength: '10', listName: 'prod:jobs:wait' });
  });

  it('takes the password, and the authority, from the Secrets that n8n takes them from', () => {
    const external = { ...scaled('worker', { type: 'keda' }), caCertificates: { existingSecret: 'authorities' } };
    const externalRedis = { host: 'redis.example.com', existingSecret: 'redis', tls: { enabled: true } };
    const ca = { parameter: 'ca', name: 'authorities', key: 'ca.crt' };
    const secrets = (values: Values) => find(render(values), 'TriggerAuthentication')?.spec.secretTargetRef;
    expect(secrets({ ...external, externalRedis })).toEqual([
      { parameter: 'password', name: 'redis', key: 'password' },
      ca,
    ]);
    expect(secrets(scaled('worker', { type: 'keda' }))).toEqual([
      { parameter: 'password', name: 'n8n-tuned-generated', key: 'redis-password' },
    ]);
    const open = { ...scaled('worker', { type: 'keda' }), externalRedis: { host: 'redis.example.com' } };
    expect(secrets(open)).toBeUndefined();
    expect(triggers(open)[0]).not.toHaveProperty('authenticationRef');
  });

  it('counts the requests of every webhook processor, half of those that one works on for each', () => {
    const metrics = { enabled: true };
    const { spec } = find(
      render({
        ...scaled('webhook', { type: 'keda', minReplicas: 1, maxReplicas: 4 }),
        metrics,
        overload: { maxRequests: 20 },
      }),
      'ScaledObject',
      'n8n-tuned-webhook',
    );
    expect(spec).toMatchObject({
      scaleTargetRef: { name: 'n8n-tuned-webhook' },
      minReplicaCount: 1,
      maxReplicaCount: 4,
      advanced: { scalingModifiers: { formula: 'requests', target: '10' } },
    });
    const metadata = {
      url: 'http://n8n-tuned-webhook.default.svc:5678/metrics',
      format: 'prometheus',
      aggregateFromKubeServiceEndpoints: 'true',
      aggregationType: 'sum',
      targetValue: '10',
    };
    expect(spec.triggers).toEqual([
      {
        type: 'metrics-api',
        name: 'requests',
        metadata: { ...metadata, valueLocation: 'n8n_admission_requests_demand' },
      },
    ]);
    const four = { ...scaled('webhook', { type: 'keda', keda: { requests: 4 } }), metrics };
    expect(find(render(four), 'ScaledObject').spec.advanced.scalingModifiers.target).toBe('4');
  });

  it('reads the port of the pods, even if the Service has another', () => {
    const values = scaled('webhook', { type: 'keda' }, { service: { port: 80 } });
    const { spec } = find(render({ ...values, metrics: { enabled: true } }), 'ScaledObject', 'n8n-tuned-webhook');
    expect(spec.triggers[0].metadata.url).toBe('http://n8n-tuned-webhook.default.svc:5678/metrics');
  });

  it('asks nodes of a Redis Cluster without a dot in the namespace of the release', () => {
    const nodes = ['redis:6379', 'redis.example.com:6380'];
    const values = scaled('worker', { type: 'keda' });
    const [active] = triggers({ ...values, redis: { enabled: false }, externalRedis: { cluster: { nodes } } });
    expect(active.metadata.addresses).toBe('redis.default.svc:6379,redis.example.com:6380');
  });

  it('asks and cools down as its values say', () => {
    const keda = { pollingInterval: 10, cooldownPeriod: 600 };
    const values = queue({ worker: { autoscaling: { type: 'keda', minReplicas: 0, maxReplicas: 4, keda } } });
    expect(find(render(values), 'ScaledObject').spec).toMatchObject(keda);
  });

  it('takes the executions per worker from the values', () => {
    const { spec } = find(render(scaled('worker', { type: 'keda', keda: { listLength: 4 } })), 'ScaledObject');
    expect(spec.advanced.scalingModifiers.target).toBe('4');
    expect(spec.triggers[0].metadata.listLength).toBe('4');
  });
});

describe('PodDisruptionBudget', () => {
  const budgets = (values: Values) =>
    render(values)
      .filter((o) => o.kind === 'PodDisruptionBudget')
      .map((o) => [o.metadata.name, o.spec.maxUnavailable]);

  it('is there where there can be more than one pod, and never for one main', () => {
    expect(budgets({})).toEqual([]);
    expect(budgets(queue())).toEqual([
      ['n8n-tuned-webhook', 1],
      ['n8n-tuned-worker', 1],
    ]);
    expect(budgets(queue({ worker: { replicas: 1 }, webhook: { replicas: 1 } }))).toEqual([]);
    expect(budgets(scaled('worker', { type: 'hpa', minReplicas: 1 }, { replicas: 1 }))).toContainEqual([
      'n8n-tuned-worker',
      1,
    ]);
    expect(budgets(file('multi-main'))).toContainEqual(['n8n-tuned-main', 1]);
  });

  it('selects the pods of its component', () => {
    const objects = render(queue());
    for (const component of ['worker', 'webhook'] as Component[]) {
      const { selector, unhealthyPodEvictionPolicy } = find(
        objects,
        'PodDisruptionBudget',
        `n8n-tuned-${component}`,
      ).spec;
      expect(selector).toEqual(workload(objects, component).spec.selector);
      expect(unhealthyPodEvictionPolicy).toBe('AlwaysAllow');
    }
    expect(find(renderFor('1.26.0', queue()), 'PodDisruptionBudget').spec).not.toHaveProperty(
      'unhealthyPodEvictionPolicy',
    );
  });

  it('takes its settings from the values', () => {
    const values = queue({
      worker: { podDisruptionBudget: { enabled: false } },
      webhook: { podDisruptionBudget: { maxUnavailable: '50%' } },
    });
    expect(budgets(values)).toEqual([['n8n-tuned-webhook', '50%']]);
  });
});

describe('several mains', () => {
  const objects = render(file('multi-main'));

  it('elect a leader behind the licence, and are replaced one after the other', () => {
    expect(workload(objects, 'main').spec).toMatchObject({
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    });
    expect(env(objects, 'main')).toMatchObject({
      N8N_MULTI_MAIN_SETUP_ENABLED: 'true',
      N8N_LICENSE_ACTIVATION_KEY: { secretKeyRef: { name: 'n8n-license', key: 'activation-key' } },
    });
    expect(env(objects, 'worker')).not.toHaveProperty('N8N_MULTI_MAIN_SETUP_ENABLED');
  });

  it('share no volume, are spread, and keep a browser with one of them', () => {
    expect(find(objects, 'PersistentVolumeClaim', 'n8n-tuned-main')).toBeUndefined();
    expect(podSpec(objects, 'main').topologySpreadConstraints).toHaveLength(2);
    expect(find(objects, 'Service', 'n8n-tuned-main').spec.sessionAffinity).toBe('ClientIP');
    expect(podSpec(objects, 'main').containers[0].lifecycle).toHaveProperty('preStop.exec');
  });

  it('may have a volume with access mode ReadWriteMany', () => {
    const values = { ...file('multi-main'), main: { persistence: { existingClaim: 'shared' } } };
    expect(podSpec(render(values), 'main').volumes[0].persistentVolumeClaim.claimName).toBe('shared');
  });
});
