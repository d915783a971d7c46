import {
  container,
  env,
  find,
  type Manifest,
  notes,
  podSpec,
  queue,
  render,
  valuesOf,
  workload,
  type Component,
  type Values,
} from './render.js';

/** What a platform team asks of a chart, all of it at once: charts/n8n-tuned/ci/platform-values.yaml. */
const objects = render(valuesOf('ci/platform-values.yaml'));
/** Every pod where its own values say, and a metric of their own: charts/n8n-tuned/ci/placement-values.yaml. */
const placed = render(valuesOf('ci/placement-values.yaml'));
const n8n = ['main', 'worker', 'webhook'] as const;

test('labels are on every object and pod', () => {
  const label = { 'cost-centre': 'automation' };
  for (const { kind, metadata, spec } of objects) {
    expect({ kind, labels: metadata.labels }).toMatchObject({ labels: label });
    if (spec?.template?.metadata) expect(spec.template.metadata.labels).toMatchObject(label);
    expect(spec?.selector?.matchLabels ?? {}).not.toMatchObject(label);
  }
});

test('labels are on the claims of StatefulSets, and the Job puts them on the Secret that it makes', () => {
  const label = { 'cost-centre': 'automation' };
  for (const name of ['n8n-tuned-postgresql', 'n8n-tuned-redis']) {
    const [claim] = find(objects, 'StatefulSet', name).spec.volumeClaimTemplates;
    expect(claim.metadata.labels).toEqual(label);
  }
  const job = objects.find(({ kind, metadata }) => kind === 'Job' && metadata.name.includes('make-secret'));
  const variable = job.spec.template.spec.containers[0].env.find((e: { name: string }) => e.name === 'SECRET_LABELS');
  expect(JSON.parse(variable.value)).toMatchObject({ ...label, 'n8n-tuned.io/release': 'n8n-tuned' });
});

test('the labels of one object win over those of all, and are there once', () => {
  const given = render({
    commonLabels: { team: 'all', release: 'all' },
    main: { podLabels: { team: 'main' } },
    metrics: { enabled: true, serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
  });
  expect(workload(given, 'main').spec.template.metadata.labels).toMatchObject({ team: 'main', release: 'all' });
  expect(find(given, 'ServiceMonitor').metadata.labels).toMatchObject({ team: 'all', release: 'prometheus' });
});

test('annotations are on every object, and not on pods, which they would restart', () => {
  const annotation = { 'example.com/owner': 'automation' };
  for (const { kind, metadata, spec } of objects) {
    expect({ kind, of: metadata.annotations }).toMatchObject({ kind, of: annotation });
    expect(spec?.template?.metadata?.annotations ?? {}).not.toMatchObject(annotation);
  }
});

test('workflows reach neither n8n nor the network behind it, as far as this n8n can refuse it', () => {
  const hardened = {
    N8N_BLOCK_ENV_ACCESS_IN_NODE: 'true',
    N8N_BLOCK_FILE_ACCESS_TO_N8N_FILES: 'true',
    N8N_RESTRICT_FILE_ACCESS_TO: '/home/node/.n8n-files',
    NODES_EXCLUDE: expect.stringContaining('"n8n-nodes-base.executeCommand"'),
  };
  const ssrf = { N8N_SSRF_PROTECTION_ENABLED: 'true', N8N_SSRF_ALLOWED_HOSTNAMES: 'erp.example.com' };
  for (const component of n8n) expect(env(objects, component)).toMatchObject({ ...hardened, ...ssrf });
  const old = env(render({ image: { tag: '1.123.81' }, hardening: { enabled: true } }), 'main');
  expect(old).toMatchObject(hardened);
  expect(old).not.toHaveProperty('N8N_SSRF_PROTECTION_ENABLED');
  expect(env(render(), 'main')).not.toHaveProperty('N8N_BLOCK_ENV_ACCESS_IN_NODE');
  const [free] = [{ name: 'N8N_BLOCK_ENV_ACCESS_IN_NODE', value: 'true' }];
  expect(env(render({ extraEnv: [free] }), 'main')).toMatchObject({ N8N_BLOCK_ENV_ACCESS_IN_NODE: 'true' });
});

test('pods know hosts and DNS, and Deployments keep three revisions', () => {
  for (const component of n8n) {
    expect(podSpec(objects, component)).toMatchObject({
      hostAliases: [{ ip: '192.0.2.10', hostnames: ['erp.example.com'] }],
      dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
    });
    expect(workload(objects, component).spec.revisionHistoryLimit).toBe(3);
  }
  const [gvisor] = [render({ runtimeClassName: 'gvisor', revisionHistoryLimit: 0 })];
  expect(podSpec(gvisor, 'main').runtimeClassName).toBe('gvisor');
  expect(workload(gvisor, 'main').spec.revisionHistoryLimit).toBe(0);
});

test('a claim that is kept has the options of Argo CD that are given, and one that is not has no others', () => {
  const options = 'argocd.argoproj.io/sync-options';
  const claim = (values: Values) => find(render(values), 'PersistentVolumeClaim').metadata.annotations;
  const annotations = { [options]: 'ServerSideApply=true' };
  const both = 'ServerSideApply=true,Prune=false,Delete=false';
  expect(claim({ main: { persistence: { annotations } } })[options]).toBe(both);
  expect(claim({ commonAnnotations: annotations })[options]).toBe(both);
  expect(claim({ main: { persistence: { keep: false, annotations } } })).toEqual(annotations);
});

test('a rollout has the time of a migration and of a shutdown', () => {
  const deadline = (component: Component, values: Values) =>
    workload(render(queue(values)), component).spec.progressDeadlineSeconds;
  const probes = { startup: { periodSeconds: 10, failureThreshold: 360 } };
  for (const component of n8n) expect(deadline(component, { probes })).toBeGreaterThan(3600);
  expect(deadline('main', { gracefulShutdown: { timeoutSeconds: 1800 } })).toBeGreaterThan(1800 + 300);
});

test('claims have the size, class, modes and annotations that are asked for, and an existing one is used', () => {
  const main = find(objects, 'PersistentVolumeClaim', 'n8n-tuned-main');
  expect(main.spec.accessModes).toEqual(['ReadWriteOncePod']);
  expect(main.metadata.annotations).toEqual({
    'backup.example.com/policy': 'daily',
    'example.com/owner': 'automation',
    'helm.sh/resource-policy': 'keep',
    'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
  });
  const [claim] = find(objects, 'StatefulSet', 'n8n-tuned-postgresql').spec.volumeClaimTemplates;
  expect(claim.metadata.annotations).toEqual({ 'backup.example.com/policy': 'hourly' });
  expect(container(objects, 'redis').args[0]).toContain('appendfsync always');

  const persistence = { size: '9Gi', storageClass: 'fast' };
  const sized = render(queue({ main: { persistence }, redis: { persistence } }));
  const [ofRedis] = find(sized, 'StatefulSet', 'n8n-tuned-redis').spec.volumeClaimTemplates;
  for (const { spec } of [find(sized, 'PersistentVolumeClaim'), ofRedis])
    expect(spec).toMatchObject({ resources: { requests: { storage: '9Gi' } }, storageClassName: 'fast' });

  const given = render({ main: { persistence: { existingClaim: 'mine' } } });
  expect(find(given, 'PersistentVolumeClaim')).toBeUndefined();
  expect(podSpec(given, 'main').volumes).toContainEqual({
    name: 'data',
    persistentVolumeClaim: { claimName: 'mine' },
  });
});

test('Services have the type, port, annotations, class and addresses that are asked for', () => {
  expect(find(objects, 'Service', 'n8n-tuned-webhook').spec).toMatchObject({
    type: 'LoadBalancer',
    loadBalancerClass: 'example.com/internal',
    loadBalancerSourceRanges: ['192.0.2.0/24'],
    ports: [{ name: 'http', port: 80, targetPort: 'http' }],
  });
  expect(find(objects, 'Service', 'n8n-tuned-main').spec).not.toHaveProperty('loadBalancerClass');
  expect(find(placed, 'Service', 'n8n-tuned-webhook')).toMatchObject({
    metadata: { annotations: { 'example.com/scheme': 'internal' } },
    spec: { type: 'NodePort', ports: [{ nodePort: 30679 }] },
  });
});

test('workers have an hour for their executions, and nothing else waits for that', () => {
  const seconds = (component: (typeof n8n)[number]) => [
    env(objects, component).N8N_GRACEFUL_SHUTDOWN_TIMEOUT,
    podSpec(objects, component).terminationGracePeriodSeconds,
  ];
  expect(seconds('worker')).toEqual(['3600', 3610]);
  expect(seconds('main')).toEqual(['30', 40]);
  expect(seconds('webhook')).toEqual(['30', 45]);
});

test('workers scale with their memory, and webhook processors with a metric of their own', () => {
  const metrics = (of: Manifest[]) =>
    find(of, 'HorizontalPodAutoscaler').spec.metrics.map(
      ({ resource, external }: Manifest) => resource?.name ?? external.metric.name,
    );
  expect(metrics(objects)).toEqual(['cpu', 'memory']);
  expect(metrics(placed)).toEqual(['cpu', 'n8n_admission_requests_demand']);
  expect(find(placed, 'HorizontalPodAutoscaler').spec.behavior.scaleDown.stabilizationWindowSeconds).toBe(600);
});

test('the routes have the timeout, and only that', () => {
  for (const { timeouts } of find(objects, 'HTTPRoute').spec.rules) expect(timeouts).toEqual({ request: '300s' });
});

test('monitors are in the namespace of Prometheus and scrape that of the release', () => {
  const values: any = valuesOf('ci/platform-values.yaml');
  values.metrics.serviceMonitor.namespace = 'monitoring';
  const monitors = render(values).filter(({ kind }) => ['ServiceMonitor', 'PodMonitor'].includes(kind));
  expect(monitors).toHaveLength(3);
  for (const { metadata, spec } of monitors) {
    expect(metadata.namespace).toBe('monitoring');
    expect(spec.namespaceSelector).toEqual({ matchNames: ['default'] });
    const [endpoint] = spec.endpoints ?? spec.podMetricsEndpoints;
    expect(endpoint.scrapeTimeout).toBe('10s');
    // The chart's own comes last: rules and dashboard need it.
    expect(endpoint.relabelings.map((r: { targetLabel: string }) => r.targetLabel)).toEqual(['cluster', 'job']);
  }
});

test('the Job that makes the Secret has limits, so that a quota lets it start', () => {
  const job = objects.find(({ kind, metadata }) => kind === 'Job' && metadata.name.includes('make-secret'));
  expect(job.spec.template.spec.containers[0].resources).toEqual({
    requests: { cpu: '50m', memory: '64Mi' },
    limits: { cpu: '200m', memory: '256Mi' },
  });
});

test('whatever asks a Service of n8n uses the port that it has', async () => {
  const given = queue({
    main: { service: { port: 8080 } },
    webhook: { replicas: 2, service: { port: 80 }, autoscaling: { type: 'keda', maxReplicas: 4 } },
    metrics: { enabled: true },
    loadTargets: { enabled: true },
    loadTest: { enabled: true },
    gateway: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['n8n.example.com'] },
  });
  // KEDA asks the pods behind the Service, not the Service (test/chart/scaling.test.ts).
  const all = JSON.stringify(render(given).filter(({ kind }) => kind !== 'ScaledObject'));
  const text = await notes(given);
  expect(all).not.toMatch(/n8n-tuned-(main|webhook)[.\w-]*:5678/);
  for (const asked of ['http://n8n-tuned-webhook:80', 'http://n8n-tuned-main:8080', '"port":8080'])
    expect(all).toContain(asked);
  expect(text).toContain('port-forward service/n8n-tuned-main 5678:8080');
  expect(text).not.toMatch(/\d:5678/);
});
