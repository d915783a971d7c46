import { queue } from '../render.js';
import { type Case, tests } from './cases.js';

const metrics = { enabled: true, rules: { enabled: true } };

const monitors = { enabled: true, serviceMonitor: { enabled: true } };

await tests('_monitoring.tpl', [
  ...['serviceMonitor', 'dashboard', 'rules'].map((name): Case => [
    'monitoring-without-metrics',
    `metrics.${name}.enabled=true`,
    { metrics: { [name]: { enabled: true } } },
    'metrics.enabled=true',
  ]),
  [
    'metrics-shut-in',
    'networkPolicy.metricsFrom',
    queue({ metrics: monitors, networkPolicy: { enabled: true } }),
    'cannot reach the workers',
  ],
  [
    'metrics-shut-in',
    'networkPolicy.metricsFrom',
    { metrics: monitors, networkPolicy: { enabled: true, httpFrom: [{ namespaceSelector: {} }] } },
    "cannot reach n8n's pods",
  ],
  [
    'recorded-rate-counted-twice',
    'capacity.recordedRate.a=12',
    { metrics, capacity: { recordedRate: { a: 12, b: { rate: 1, workflowIds: ['1'] } } } },
    '{rate: 12, workflowIds: [...]}',
  ],
  [
    'webhook-metrics-unsupported',
    'capacity.recordedRate',
    queue({ image: { tag: '1.123.81' }, metrics, capacity: { recordedRate: { a: 12 } } }),
    'webhook.replicas=0',
  ],
]);
