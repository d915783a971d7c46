import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart, find, type Manifest, own, queue, render, type Values } from './render.js';

/** What the chart renders for Prometheus and Grafana; test/integration/monitoring.test.ts runs it. */

const all = {
  enabled: true,
  serviceMonitor: { enabled: true, labels: { prometheus: 'main' }, interval: '15s' },
  dashboard: { enabled: true },
  rules: { enabled: true },
};
const monitors = (objects: Manifest[]): string[] =>
  objects
    .filter(({ kind }) => kind === 'ServiceMonitor' || kind === 'PodMonitor')
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    .sort();
const rules = (values: Values): Manifest[] => find(render(values), 'PrometheusRule').spec.groups[0].rules;
const rule = (values: Values, alert: string, component?: string): Manifest =>
  rules(values).find((r) => (r.alert ?? r.record) === alert && r.labels.component === component);

it('nothing of it is there by default', () => {
  const kinds = render(queue({ metrics: { enabled: true } })).map(({ kind }) => kind);
  for (const kind of ['ServiceMonitor', 'PodMonitor', 'PrometheusRule']) expect(kinds).not.toContain(kind);
});

describe('monitors', () => {
  const main = 'ServiceMonitor n8n-tuned-main';
  const worker = 'PodMonitor n8n-tuned-worker';
  const webhook = 'ServiceMonitor n8n-tuned-webhook';
  it.each<[string, Values, string[]]>([
    ['regular mode', { metrics: all }, [main]],
    ['queue mode', queue({ metrics: all }), [worker, main, webhook]],
    ['queue mode without webhook processors', queue({ metrics: all, webhook: { replicas: 0 } }), [worker, main]],
    ['an n8n whose workers serve metrics alone', queue({ metrics: all, image: { tag: '1.123.81' } }), [worker, main]],
    ['an n8n whose main serves them alone', queue({ metrics: all, image: { tag: '0.221.2' } }), [main]],
    ['own mode', own(4, '1Gi', { metrics: all }), [main]],
  ])('%s', (_, values, expected) => expect(monitors(render(values))).toEqual(expected));

  it('select what they are for, on a port that it has', () => {
    const objects = render(queue({ metrics: all }));
    for (const component of ['main', 'webhook']) {
      const { metadata, spec } = find(objects, 'ServiceMonitor', `n8n-tuned-${component}`);
      expect(metadata.labels).toMatchObject({ prometheus: 'main', 'app.kubernetes.io/component': component });
      const selected = objects.filter(
        (o) =>
          o.kind === 'Service' &&
          Object.entries(spec.selector.matchLabels).every(([name, value]) => o.metadata.labels[name] === value),
      );
      expect(selected.map((o) => o.metadata.name)).toEqual([`n8n-tuned-${component}`]);
      expect(selected[0].spec.ports).toContainEqual(expect.objectContaining({ name: spec.endpoints[0].port }));
      expect(spec.endpoints[0]).toMatchObject({ path: '/metrics', interval: '15s' });
    }
    const { spec } = find(objects, 'PodMonitor');
    const template = find(objects, 'Deployment', 'n8n-tuned-worker').spec.template;
    expect(template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    expect(template.spec.containers[0].ports).toContainEqual(
      expect.objectContaining({ name: spec.podMetricsEndpoints[0].port }),
    );
  });
});

describe('rules', () => {
  const names = (values: Values) => [...new Set(rules(values).map(({ alert, record }) => alert ?? record))].sort();
  const always = [
    'N8nEventLoopLag',
    'N8nExecutionsFailing',
    'N8nHeapNearLimit',
    'N8nHookInactive',
    'N8nProcessMissing',
    'N8nProcessSaturated',
    'N8nRequestsRefused',
    'N8nRestarted',
  ];
  const ofQueue = ['N8nBacklogGrowing', 'N8nExecutionsLost', 'N8nQueueStuck', 'N8nQueueWait', 'N8nWorkersSaturated'];
  const ofCapacity = ['N8nNearRecordedCapacity', 'n8n_tuned:capacity_used:percent'];
  const recorded = { capacity: { recordedRate: { all: 20 } } };
  it.each<[string, Values, string[]]>([
    ['regular mode', { metrics: all }, always],
    ['queue mode', queue({ metrics: all }), [...always, ...ofQueue]],
    ['a recorded capacity', { metrics: all, ...recorded }, [...always, ...ofCapacity]],
    [
      'kube-state-metrics',
      { metrics: { ...all, rules: { enabled: true, kubeStateMetrics: true } } },
      [...always, 'N8nOutOfMemory'],
    ],
    [
      'every request taken',
      { metrics: all, overload: { enabled: false } },
      always.filter((name) => name !== 'N8nRequestsRefused'),
    ],
    [
      'the rescue',
      { metrics: all, rescue: { enabled: true, apiKey: { existingSecret: 'n8n-api-key' } } },
      [...always, 'N8nRescueGaveUp', 'N8nRescueStopped'],
    ],
    ['no heap', { metrics: all, heap: { enabled: false } }, always.filter((name) => name !== 'N8nHeapNearLimit')],
  ])('%s', (_, values, expected) => expect(names(values)).toEqual([...expected].sort()));

  it('a recorded rate counts all executions, and is compared with the percentage of the values', () => {
    const values = { metrics: all, capacity: { ...recorded.capacity, alertAtPercent: 60 } };
    expect(rule(values, 'n8n_tuned:capacity_used:percent').expr).toBe(
      '100 * (sum(rate(n8n_workflow_started_total{namespace="default",job=~"n8n-tuned-(main|worker|webhook)"}[5m])) / 20)',
    );
    expect(rule(values, 'N8nNearRecordedCapacity').expr).toMatch(/> 60$/);
  });

  it('a recorded rate alone needs no Prometheus: n8n-capacity may write it into any values', () => {
    expect(find(render({ capacity: { recordedRate: { all: 20 } } }), 'PrometheusRule')).toBeUndefined();
  });

  it('the shares of several workloads are added', () => {
    const recordedRate = { a: { rate: 20, workflowIds: ['1', '2'] }, b: { rate: 0.5, workflowIds: ['3'] } };
    const { expr } = rule({ metrics: all, capacity: { recordedRate } }, 'n8n_tuned:capacity_used:percent');
    expect(expr).toMatch(/workflow_id=~"1\|2"\}\[5m\]\)\) or vector\(0\)\) \/ 20\n.*\+.*workflow_id=~"3".* \/ 0\.5\)$/);
  });

  it.each<[string, Values, string, string | undefined, RegExp]>([
    ['failures', { failedExecutionsPercent: 9 }, 'N8nExecutionsFailing', undefined, /> 9\n/],
    ['refusals', { refusedPercent: 3 }, 'N8nRequestsRefused', undefined, /> 3$/],
    ['wait', { queueWaitSeconds: 90 }, 'N8nQueueWait', undefined, /> 90$/],
    [
      'standstill',
      { queueStuckMinutes: 40 },
      'N8nQueueStuck',
      undefined,
      /\[40m\].*\[1200s:1m\] offset 1200s.*\[40m\]/s,
    ],
    ['saturation of workers', { saturationPercent: 80 }, 'N8nWorkersSaturated', undefined, /\* 10\) > 80$/],
    ['saturation of a process', { saturationPercent: 80 }, 'N8nProcessSaturated', 'worker', /\/ 1 > 80$/],
    ['lag', { eventLoopLagMilliseconds: 250 }, 'N8nEventLoopLag', undefined, /> 0\.25$/],
    ['heap', { heapPercent: 80 }, 'N8nHeapNearLimit', 'webhook', /> 80$/],
  ])('threshold of %s', (_, thresholds, alert, component, expected) => {
    const values = queue({ metrics: { ...all, rules: { enabled: true, ...thresholds } } });
    expect(rule(values, alert, component).expr).toMatch(expected);
  });

  it('the slots of workers with an autoscaler are the most that there can be', () => {
    const worker = { concurrency: 5, autoscaling: { type: 'hpa', maxReplicas: 7 } };
    expect(rule(queue({ metrics: all, worker }), 'N8nWorkersSaturated').expr).toMatch(/\/ \(7 \* 5\) > 90$/);
  });

  it('each alert names the page that says what to do', () => {
    for (const { alert, annotations } of rules(queue({ metrics: all }))) {
      if (alert) expect(annotations.runbook_url).toMatch(/^https:\/\/github\.com\/.+\/docs\/operate\/[a-z-]+\.md$/);
    }
  });

  it('heap and processor time are those of each component', () => {
    const limits = { limits: { cpu: '500m', memory: '1Gi' } };
    const values = queue({ metrics: all, webhook: { resources: limits } });
    expect(rule(values, 'N8nHeapNearLimit', 'webhook').expr).toContain(`/ ${640 * 1024 * 1024} >`);
    expect(rule(values, 'N8nProcessSaturated', 'webhook').expr).toContain('/ 0.5 >');
    // The limit of main is 2 cores, of which its JavaScript uses one.
    expect(rule(values, 'N8nProcessSaturated', 'main').expr).toContain('/ 1 >');
  });

  it('as many processes are missed as there are at least', () => {
    const fixed = queue({ metrics: all, worker: { replicas: 3 } });
    expect(rule(fixed, 'N8nProcessMissing', 'worker').expr).toMatch(/< 3$/);
    const autoscaling = { type: 'keda', minReplicas: 0, maxReplicas: 3 };
    const scaled = queue({
      metrics: all,
      worker: { autoscaling },
      webhook: { autoscaling: { type: 'hpa', maxReplicas: 4 } },
    });
    expect(rule(scaled, 'N8nProcessMissing', 'worker')).toBeUndefined();
    expect(rule(scaled, 'N8nProcessMissing', 'webhook').expr).toMatch(/< 2$/);
    expect(rule(scaled, 'N8nProcessMissing', 'main').expr).toMatch(/< 1$/);
  });
});

describe('dashboard', () => {
  const file = readFileSync(join(chart, 'files/dashboards/n8n-tuned.json'), 'utf8');

  it('is in a ConfigMap that the sidecar finds, as it is in the file', () => {
    const labels = { team: 'a', grafana_dashboard: '1' };
    const annotations = { grafana_folder: 'n8n' };
    const dashboard = { enabled: true, labels, annotations };
    const { metadata, data } = find(render({ metrics: { ...all, dashboard } }), 'ConfigMap', 'n8n-tuned-dashboard');
    expect(metadata).toMatchObject({ labels, annotations });
    expect(data).toEqual({ 'n8n-tuned.json': file });
  });

  it('has panels of unique ids that do not overlap, each with a description and a data source to choose', () => {
    const { panels } = JSON.parse(file);
    const cells = new Set<string>();
    for (const { gridPos, type, description, datasource } of panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(cells).not.toContain(`${x},${y}`);
          cells.add(`${x},${y}`);
        }
      }
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      if (type === 'row') continue;
      expect(description).toMatch(/\w/);
      expect(datasource.uid).toBe('${datasource}');
    }
    expect(new Set(panels.map(({ id }: Manifest) => id)).size).toBe(panels.length);
  });
});
