import { queue, render } from '../render.js';
import { type Case, tests } from './cases.js';

const metrics = { enabled: true, serviceMonitor: { enabled: true }, rules: { enabled: true } };

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
    'rules-without-monitor',
    'metrics.rules.enabled=true',
    { metrics: { enabled: true, rules: { enabled: true } } },
    'metrics.serviceMonitor.enabled=true',
  ],
  [
    'scrape-timeout-above-interval',
    'metrics.serviceMonitor.scrapeTimeout=1m',
    { metrics: { enabled: true, serviceMonitor: { enabled: true, interval: '30s', scrapeTimeout: '1m' } } },
    'metrics.serviceMonitor.interval=30s',
  ],
  [
    'scrapes-too-seldom',
    'metrics.serviceMonitor.interval=3m',
    { metrics: { enabled: true, rules: { enabled: true }, serviceMonitor: { enabled: true, interval: '3m' } } },
    'metrics.serviceMonitor.interval',
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

it('lets n8n-capacity read metrics without a Prometheus, whatever the policies', () => {
  expect(() => render(queue({ metrics: { enabled: true }, networkPolicy: { enabled: true } }))).not.toThrow();
});
