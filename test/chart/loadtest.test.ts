import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { find, queue, render, type Manifest, type Values } from './render.js';

const loadtests = fileURLToPath(new URL('../../loadtests', import.meta.url));
const targets = { loadTargets: { enabled: true } };
const test = (loadTest: Values = {}, more: Values = {}): Values => ({
  ...targets,
  loadTest: { enabled: true, ...loadTest },
  ...more,
});
const job = (objects: Manifest[]) =>
  objects.find(({ kind, metadata }) => kind === 'Job' && metadata.labels['app.kubernetes.io/component'] === 'loadtest');
const jobSpec = (values: Values) => job(render(values)).spec.template.spec;
const variables = (env: any[]): Record<string, any> =>
  Object.fromEntries(env.map((e) => [e.name, e.value ?? e.valueFrom]));

describe('the scripts', () => {
  const objects = render(test());
  const { data } = find(objects, 'ConfigMap', 'n8n-tuned-loadtest');
  const { volumes, containers } = jobSpec(test());

  it('are those of loadtests/, in its folders', () => {
    const { items } = volumes.find(({ name }: any) => name === 'loadtests').configMap;
    const { mountPath } = containers[0].volumeMounts[0];
    for (const { key, path } of items) expect(data[key]).toBe(readFileSync(join(loadtests, path), 'utf8'));
    expect(items.map(({ path }: any) => join(mountPath, path))).toContain(containers[0].command.at(-1));
    expect(items.map(({ path }: any) => path)).toEqual(expect.arrayContaining(['lib/workload.js', 'workloads.json']));
    expect(Object.keys(data)).toHaveLength(items.length);
  });
});

describe('the Job', () => {
  it('is there when asked for', () => {
    expect(job(render(targets))).toBeUndefined();
    expect(job(render(test())).spec).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 3600 });
  });

  it('reads its settings from the environment, and the token by reference', () => {
    const { containers } = jobSpec(
      test({ script: 'webhook-wait', rates: [0.5, 20], duration: '10s', maxVUs: 7, env: { SECONDS: 1 } }),
    );
    expect(containers[0].command).toEqual(['k6', 'run', '--quiet', '--no-usage-report', '/loadtests/webhook-wait.js']);
    expect(variables(containers[0].env)).toEqual({
      BASE_URL: 'http://n8n-tuned-main:5678',
      TOKEN: { secretKeyRef: { name: 'n8n-tuned-generated', key: 'load-target-token' } },
      RATES: '0.5,20',
      DURATION: '10s',
      MAX_VUS: '7',
      SECONDS: '1',
    });
  });

  it('calls the component that serves production webhooks', () => {
    const url = (values: Values) => variables(jobSpec(values).containers[0].env).BASE_URL;
    expect(url(test({}, queue()))).toBe('http://n8n-tuned-webhook:5678');
    expect(url(test({}, queue({ webhook: { replicas: 0 } })))).toBe('http://n8n-tuned-main:5678');
  });

  it('waits until every component is ready', () => {
    const [health] = jobSpec(test({}, queue())).initContainers;
    expect(variables(health.env).HEALTH.split(' ')).toEqual(
      ['main', 'worker', 'webhook'].map((component) => `http://n8n-tuned-${component}:5678/healthz/readiness`),
    );
    expect(variables(health.env).WEBHOOK).toBe('http://n8n-tuned-webhook:5678/webhook/webhook-ack');
  });

  it('does not wait for workers where there may be none', () => {
    const autoscaling = { type: 'keda', minReplicas: 0, maxReplicas: 3 };
    const [health] = jobSpec(test({}, queue({ worker: { autoscaling } }))).initContainers;
    expect(variables(health.env).HEALTH).not.toContain('worker');
  });

  it('gets another name when values change', () => {
    const name = (values: Values) => job(render(values)).metadata.name;
    expect(name(test())).toBe(name(test()));
    expect(name(test({ rates: [7] }))).not.toBe(name(test()));
  });
});

describe('several pods', () => {
  const objects = render(test({ parallelism: 3, script: 'webhook-wait' }));

  it('make a TestRun instead of a Job', () => {
    expect(job(objects)).toBeUndefined();
    const { apiVersion, spec } = find(objects, 'TestRun');
    expect(apiVersion).toBe('k6.io/v1alpha1');
    expect(spec).toMatchObject({ parallelism: 3, script: { localFile: '/loadtests/webhook-wait.js' } });
    for (const part of ['initializer', 'runner']) {
      expect(spec[part].volumeMounts).toEqual([{ name: 'loadtests', mountPath: '/loadtests', readOnly: true }]);
      expect(variables(spec[part].env)).toMatchObject({ RATES: '1,2,5', TOKEN: { secretKeyRef: expect.anything() } });
    }
  });

  it('have a name to which the operator can append its 12 characters', () => {
    const { metadata } = find(render(test({ parallelism: 3 }, { fullnameOverride: 'a'.repeat(40) })), 'TestRun');
    expect(metadata.name.length).toBeLessThanOrEqual(63 - '-initializer'.length);
  });

  it('run without privileges or token', () => {
    const { spec } = find(objects, 'TestRun');
    for (const part of ['initializer', 'starter', 'runner']) {
      expect(spec[part]).toMatchObject({
        automountServiceAccountToken: 'false',
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containerSecurityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      });
    }
  });
});

describe('helm test', () => {
  const tests = (values: Values) =>
    render(values).filter(({ kind, metadata }) => kind === 'Pod' && metadata.annotations['helm.sh/hook'] === 'test');

  it('probes the health of every component', () => {
    const [health, ...others] = tests(queue());
    expect(others).toEqual([]);
    const given = variables(health.spec.containers[0].env);
    expect(given.HEALTH.split(' ')).toHaveLength(3);
    expect(given).not.toHaveProperty('WEBHOOK');
  });

  it('probes an old n8n at the path that it serves', () => {
    const [health] = tests({ image: { tag: '0.221.2' } });
    expect(variables(health.spec.containers[0].env).HEALTH).toBe('http://n8n-tuned-main:5678/healthz');
  });

  it('drives a load target when there is one', () => {
    const [, load] = tests(queue(targets));
    expect(load.spec.containers[0].command.at(-1)).toBe('/loadtests/webhook-ack.js');
    expect(variables(load.spec.containers[0].env)).toMatchObject({
      BASE_URL: 'http://n8n-tuned-webhook:5678',
      RATES: '2',
    });
  });

  it('finds every worker by one name', () => {
    const service = find(render(queue()), 'Service', 'n8n-tuned-worker');
    expect(service.spec).toMatchObject({ clusterIP: 'None', ports: [{ port: 5678 }] });
    expect(find(render(), 'Service', 'n8n-tuned-worker')).toBeUndefined();
  });

  it('and load tests run without privileges, token or unbounded time', () => {
    const pods = [...tests(queue(targets)).map(({ spec }) => spec), jobSpec(test({}, queue()))];
    for (const spec of pods) {
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      for (const { securityContext, resources } of [...(spec.initContainers ?? []), ...spec.containers]) {
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          readOnlyRootFilesystem: true,
        });
        expect(resources.limits.memory).toBeDefined();
      }
    }
    for (const { spec } of tests(queue(targets))) expect(spec.activeDeadlineSeconds).toBeGreaterThan(0);
  });
});
