import {
  valuesOf,
  type Component,
  container,
  env,
  find,
  type Manifest,
  podSpec,
  queue,
  render,
  renderFor,
  type Values,
  workload,
  N8N,
} from './render.js';

const n8n: Component[] = ['main', 'worker', 'webhook'];
const file = (name: string): Values => valuesOf(`ci/${name}-values.yaml`);
const names = (list: Manifest[] = []): string[] => list.map(({ name }) => name);

describe('where pods run', () => {
  it.each(n8n)('%s as its values say', (component) => {
    const given = {
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
      affinity: { podAntiAffinity: {} },
      priorityClassName: 'high',
    };
    const objects = render(queue({ [component]: given }));
    expect(podSpec(objects, component)).toMatchObject(given);
    for (const other of n8n.filter((name) => name !== component)) {
      for (const field of Object.keys(given)) expect(podSpec(objects, other)).not.toHaveProperty(field);
    }
  });

  it('all where the chart says, unless the values of their own say otherwise', () => {
    const everywhere = {
      nodeSelector: { pool: 'n8n' },
      tolerations: [{ key: 'n8n', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      priorityClassName: 'high',
    };
    const own = { nodeSelector: { pool: 'data' }, tolerations: [{ key: 'data', operator: 'Exists' }] };
    const values = queue({
      ...everywhere,
      redis: own,
      secretJob: { priorityClassName: 'low' },
      loadTargets: { enabled: true },
      loadTest: { enabled: true },
    });
    const pods = render(values).filter((o) => o.kind === 'Pod' || o.spec?.template?.spec);
    expect(pods.map(({ kind }) => kind).sort()).toEqual(
      ['Deployment', 'Deployment', 'Deployment', 'Job', 'Job', 'Pod', 'Pod', 'StatefulSet', 'StatefulSet'].sort(),
    );
    for (const { metadata, spec } of pods) {
      const pod = spec.template?.spec ?? spec;
      const isRedis = metadata.name === 'n8n-tuned-redis';
      const isSecret = metadata.name.includes('make-secret');
      const expected = { ...everywhere, ...(isRedis && own), ...(isSecret && { priorityClassName: 'low' }) };
      expect(pod).toMatchObject(expected);
    }
    const testRun = render({ ...values, loadTest: { enabled: true, parallelism: 2 } }).find(
      (o) => o.kind === 'TestRun',
    );
    for (const part of ['initializer', 'starter', 'runner']) expect(testRun.spec[part]).toMatchObject(everywhere);
  });

  it.each(['worker', 'webhook'] as const)('%ss are spread over hosts and zones, where there is room', (component) => {
    const objects = render(queue());
    const { topologySpreadConstraints } = podSpec(objects, component);
    expect(topologySpreadConstraints.map((c: Manifest) => [c.topologyKey, c.whenUnsatisfiable, c.maxSkew])).toEqual([
      ['kubernetes.io/hostname', 'ScheduleAnyway', 1],
      ['topology.kubernetes.io/zone', 'ScheduleAnyway', 1],
    ]);
    for (const { labelSelector, matchLabelKeys } of topologySpreadConstraints) {
      expect(labelSelector).toEqual(workload(objects, component).spec.selector);
      expect(matchLabelKeys).toEqual(['pod-template-hash']);
    }
  });

  it('one pod is not spread', () => {
    expect(podSpec(render(queue()), 'main')).not.toHaveProperty('topologySpreadConstraints');
    expect(podSpec(render(queue({ worker: { replicas: 1 } })), 'worker')).not.toHaveProperty(
      'topologySpreadConstraints',
    );
  });

  it('old Kubernetes counts all revisions', () => {
    const [constraint] = podSpec(renderFor('1.26.0', queue()), 'worker').topologySpreadConstraints;
    expect(constraint).not.toHaveProperty('matchLabelKeys');
  });

  it('a list replaces the default, none at all too, and needs no label selector', () => {
    const constraint = { maxSkew: 2, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' };
    const objects = render(queue({ worker: { topologySpreadConstraints: [constraint] } }));
    const { selector } = workload(objects, 'worker').spec;
    expect(podSpec(objects, 'worker').topologySpreadConstraints).toEqual([{ ...constraint, labelSelector: selector }]);
    const labelSelector = { matchLabels: { a: 'b' } };
    const own = render(queue({ worker: { topologySpreadConstraints: [{ ...constraint, labelSelector }] } }));
    expect(podSpec(own, 'worker').topologySpreadConstraints).toEqual([{ ...constraint, labelSelector }]);
    const none = render(queue({ worker: { topologySpreadConstraints: [] } }));
    expect(podSpec(none, 'worker')).not.toHaveProperty('topologySpreadConstraints');
  });
});

describe('what pods have beside the chart', () => {
  it.each(n8n)('%s, and no other component', (component) => {
    const objects = render(
      queue({
        extraEnv: [{ name: 'ALL', value: 'all' }],
        [component]: {
          podAnnotations: { 'example.com/a': 'b' },
          podLabels: { team: 'x' },
          extraEnv: [{ name: 'ONE', value: 'one' }],
          extraEnvFrom: [{ secretRef: { name: 'more' } }],
          extraVolumes: [{ name: 'shared', emptyDir: {} }],
          extraVolumeMounts: [{ name: 'shared', mountPath: '/shared' }],
          extraContainers: [{ name: 'beside', image: 'x:1' }],
          extraInitContainers: [{ name: 'before', image: 'x:1' }],
        },
      }),
    );
    for (const each of n8n) {
      const own = each === component;
      const { metadata, spec } = workload(objects, each).spec.template;
      expect(metadata.annotations?.['example.com/a']).toBe(own ? 'b' : undefined);
      expect(metadata.labels.team).toBe(own ? 'x' : undefined);
      expect(workload(objects, each).spec.selector.matchLabels).not.toHaveProperty('team');
      expect(env(objects, each).ALL).toBe('all');
      expect(env(objects, each).ONE).toBe(own ? 'one' : undefined);
      expect(container(objects, each).envFrom).toEqual(own ? [{ secretRef: { name: 'more' } }] : undefined);
      expect(names(spec.containers)).toEqual(own ? ['n8n', 'beside'] : ['n8n']);
      expect(names(spec.initContainers)).toEqual(own ? ['before'] : []);
      expect(names(spec.volumes).includes('shared')).toBe(own);
      expect(names(container(objects, each).volumeMounts).includes('shared')).toBe(own);
    }
  });

  it('objects of their own, as they are or rendered', () => {
    const objects = render(file('scheduling'));
    expect(find(objects, 'ConfigMap', 'n8n-tuned-extra').data).toEqual({ EXTRA: 'extra' });
    expect(find(objects, 'ConfigMap', 'n8n-tuned-templated').data).toEqual({ mode: 'queue' });
  });

  it('objects with templates of another program stay unchanged', () => {
    const secret = {
      apiVersion: 'external-secrets.io/v1',
      kind: 'ExternalSecret',
      metadata: { name: 'mine', namespace: 'default' },
      spec: { target: { template: { data: { url: 'postgres://{{ .password }}', of: '{{ $labels.pod }}' } } } },
    };
    expect(find(render({ extraManifests: [secret] }), 'ExternalSecret')).toEqual(secret);
  });
});

describe('service account', () => {
  it('is one of the release, without a token', () => {
    const objects = render();
    const account = find(objects, 'ServiceAccount', 'n8n-tuned');
    expect(account.automountServiceAccountToken).toBe(false);
    expect(podSpec(objects, 'main')).toMatchObject({
      serviceAccountName: 'n8n-tuned',
      automountServiceAccountToken: false,
    });
  });

  it('is named and annotated by value', () => {
    const objects = render(file('scheduling'));
    expect(find(objects, 'ServiceAccount', 'n8n').metadata.annotations).toEqual({
      'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/n8n',
    });
    for (const component of n8n) expect(podSpec(objects, component).serviceAccountName).toBe('n8n');
  });

  it.each([
    [{ create: false }, 'default'],
    [{ create: false, name: 'mine' }, 'mine'],
  ])('is not made with %j', (serviceAccount, name) => {
    const objects = render({ serviceAccount });
    expect(find(objects, 'ServiceAccount', 'n8n-tuned')).toBeUndefined();
    expect(podSpec(objects, 'main').serviceAccountName).toBe(name);
  });
});

it('every pod pulls with the same Secrets', () => {
  const objects = render(queue({ imagePullSecrets: [{ name: 'registry' }] }));
  const pods = objects.filter((o) => o.spec?.template);
  expect(pods.length).toBeGreaterThan(5);
  for (const { spec } of pods) expect(spec.template.spec.imagePullSecrets).toEqual([{ name: 'registry' }]);
});

describe('images', () => {
  const values = queue({
    taskRunners: { mode: 'external' },
    loadTargets: { enabled: true },
    loadTest: { enabled: true },
  });
  const images = (more: Values): string[] => {
    const found = JSON.stringify(render({ ...values, ...more })).matchAll(/"image":"([^"]+)"/g);
    return [...new Set([...found].map(([, image]) => image!))].sort();
  };

  it('come from one registry where that is asked for', () => {
    expect(images({ imageRegistry: 'registry.example.com:5000/mirror' })).toEqual([
      'registry.example.com:5000/mirror/grafana/k6:2.2.0',
      'registry.example.com:5000/mirror/library/postgres:18',
      'registry.example.com:5000/mirror/library/redis:7',
      `registry.example.com:5000/mirror/n8nio/n8n:${N8N}`,
      `registry.example.com:5000/mirror/n8nio/runners:${N8N}`,
    ]);
  });

  it('keep the first part of an image name that is not a registry', () => {
    const image = (repository: string) => images({ imageRegistry: 'r.example.com', redis: { image: { repository } } });
    expect(image('mine/redis')).toContain('r.example.com/mine/redis:7');
    expect(image('redis')).toContain('r.example.com/redis:7');
    expect(image('localhost/redis')).toContain('r.example.com/redis:7');
    expect(image('localhost:5000/redis')).toContain('r.example.com/redis:7');
  });

  it('are pinned by digest, each of them', () => {
    const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
    const image = { digest };
    const pinned = images({
      image: { tag: '2.41.1', digest },
      postgresql: { image },
      redis: { image },
      taskRunners: { mode: 'external', image },
      loadTest: { enabled: true, image },
    });
    expect(pinned).toHaveLength(5);
    for (const name of pinned) expect(name).toMatch(new RegExp(`@${digest}$`));
  });
});

describe('file system', () => {
  it.each(['0.221.2', '1.123.81', '2.41.1'])(
    'of n8n %s is read-only but for its folder and what lives as long as the pod',
    (tag) => {
      const objects = render(queue({ image: { tag } }));
      for (const component of n8n) {
        expect(container(objects, component).securityContext.readOnlyRootFilesystem).toBe(true);
        const mounts = container(objects, component).volumeMounts.filter((m: Manifest) => !m.readOnly);
        expect(mounts.map((m: Manifest) => m.mountPath)).toEqual([
          '/home/node/.n8n',
          '/tmp',
          '/home/node/.cache',
          '/home/node/.npm',
          '/home/node/.n8n-files',
        ]);
        const temporary = podSpec(objects, component).volumes.find((v: Manifest) => v.name === 'temporary');
        expect(temporary.emptyDir).toEqual({ sizeLimit: '1Gi' });
      }
    },
  );

  it('has the folder in which nodes read and write files, in a volume of the values if they mount one there', () => {
    const at = (values: Values) =>
      n8n.map((component) =>
        container(render(queue(values)), component).volumeMounts.filter(
          ({ mountPath }: Manifest) => mountPath.replace(/\/$/, '') === '/home/node/.n8n-files',
        ),
      );
    const own = [{ name: 'temporary', mountPath: '/home/node/.n8n-files', subPath: 'files' }];
    expect(at({})).toEqual([own, own, own]);
    const extraVolumeMounts = [{ name: 'shared', mountPath: '/home/node/.n8n-files/' }];
    const extraVolumes = [{ name: 'shared', persistentVolumeClaim: { claimName: 'shared' } }];
    const shared = { extraVolumes, extraVolumeMounts };
    expect(at({ main: shared, worker: shared })).toEqual([extraVolumeMounts, extraVolumeMounts, own]);
  });
});

describe('end of a pod', () => {
  const drains = (seconds: number) => ({
    preStop: { exec: { command: ['sh', '-c', `touch /tmp/draining; sleep ${seconds}`] } },
  });
  const lifecycles = (objects: Manifest[]) => n8n.map((component) => container(objects, component).lifecycle);
  const graces = (objects: Manifest[]) =>
    n8n.map((component) => podSpec(objects, component).terminationGracePeriodSeconds);

  it('webhook processors go on serving until they are left out, and have that time in addition', () => {
    const objects = render(queue({ gracefulShutdown: { preStopSeconds: 12, timeoutSeconds: 60 } }));
    expect(lifecycles(objects)).toEqual([undefined, undefined, drains(12)]);
    expect(graces(objects)).toEqual([70, 70, 82]);
  });

  it('preStopSeconds=0 adds no delay', () => {
    const objects = render(queue({ gracefulShutdown: { preStopSeconds: 0 } }));
    expect(lifecycles(objects)).toEqual([undefined, undefined, undefined]);
    expect(graces(objects)).toEqual([40, 40, 40]);
  });
});
