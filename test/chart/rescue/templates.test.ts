import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart, find, type Manifest, queue, render, type Values } from '../render.js';

const on = (more: Values = {}): Values => ({ enabled: true, apiKey: { existingSecret: 'n8n-api-key' }, ...more });
const deployment = (values: Values) => find(render(values), 'Deployment', 'n8n-tuned-rescue');
const containerOf = (values: Values): Manifest => deployment(values).spec.template.spec.containers[0];
const variables = (values: Values) =>
  Object.fromEntries(containerOf(values).env.map(({ name, value, valueFrom }: Manifest) => [name, value ?? valueFrom]));

it('is off by default', () => {
  expect(render(queue()).filter(({ metadata }) => /rescue/.test(metadata.name))).toEqual([]);
});

it('runs once, with the files of the chart', () => {
  const objects = render(queue({ rescue: on() }));
  const { spec } = find(objects, 'Deployment', 'n8n-tuned-rescue');
  expect({ replicas: spec.replicas, strategy: spec.strategy.type }).toEqual({ replicas: 1, strategy: 'Recreate' });
  const { data } = find(objects, 'ConfigMap', 'n8n-tuned-rescue');
  const files = readdirSync(join(chart, 'files/rescue'));
  expect(Object.keys(data).sort()).toEqual(files.sort());
  for (const name of files) expect(data[name]).toBe(readFileSync(join(chart, 'files/rescue', name), 'utf8'));
});

it('sets each variable that its files read, and takes key and address of the report from Secrets', () => {
  const given = variables(queue({ rescue: on({ report: { existingSecret: 'report', key: 'address' } }) }));
  const read = readFileSync(join(chart, 'files/rescue/main.js'), 'utf8').matchAll(/\benv\.(\w+)/g);
  expect(Object.keys(given).sort()).toEqual([...new Set([...read].map(([, name]) => name!))].sort());
  expect(given).toMatchObject({
    N8N_API_URL: 'http://n8n-tuned-main:5678/api/v1',
    N8N_API_KEY: { secretKeyRef: { name: 'n8n-api-key', key: 'api-key' } },
    RESCUE_REPORT_URL: { secretKeyRef: { name: 'report', key: 'address' } },
    RESCUE_MAX_TRIES: '3',
  });
});

it('reaches main, where its Service and the policies say', () => {
  const port = { main: { service: { port: 80 } } };
  expect(variables({ rescue: on(), ...port }).N8N_API_URL).toBe('http://n8n-tuned-main:80/api/v1');
  const from = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }];
  const objects = render({ rescue: on(), networkPolicy: { enabled: true, httpFrom: from } });
  const policy = (name: string) => find(objects, 'NetworkPolicy', `n8n-tuned-${name}`).spec;
  const component = (name: string) => ({ 'app.kubernetes.io/component': name });
  expect(policy('main').ingress[0].from).toContainEqual({
    podSelector: { matchLabels: expect.objectContaining(component('rescue')) },
  });
  expect(policy('rescue').egress).toContainEqual({
    to: [{ podSelector: { matchLabels: expect.objectContaining(component('main')) } }],
    ports: [{ port: 5678 }],
  });
  expect(policy('rescue').egress).toHaveLength(2);
});

it('is scraped where its metrics are', () => {
  const metrics = { enabled: true, serviceMonitor: { enabled: true } };
  const monitor = find(render({ rescue: on(), metrics }), 'PodMonitor', 'n8n-tuned-rescue');
  expect(monitor.spec.podMetricsEndpoints).toEqual([expect.objectContaining({ port: 'metrics', path: '/metrics' })]);
  expect(containerOf({ rescue: on() }).ports).toEqual([{ name: 'metrics', containerPort: 9464 }]);
});
