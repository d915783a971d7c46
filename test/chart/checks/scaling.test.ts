import { queue, type Values } from '../render.js';
import { tests } from './cases.js';

const scaled = (component: string, autoscaling: Values, more: Values = {}): Values =>
  queue({ [component]: { autoscaling: { maxReplicas: 4, ...autoscaling }, ...more } });
const noCpu = { resources: { requests: { cpu: null }, limits: { cpu: null } } };
const noMemory = {
  resources: { requests: { memory: null }, limits: { memory: null } },
  heap: { n8n: 512, runner: 128 },
};
const target = { type: 'Utilization', averageUtilization: 80 };
const proxy = { name: 'proxy', image: 'proxy:1', resources: { requests: { cpu: '10m' } } };
const metric = (one: Values, more: Values = {}): Values => scaled('worker', { type: 'hpa', metrics: [one] }, more);
const kedaOfWebhooks = { ...scaled('webhook', { type: 'keda' }), metrics: { enabled: true } };

await tests('_scaling.tpl', [
  [
    'autoscaling-in-regular-mode',
    'worker.autoscaling.type=keda',
    { worker: { autoscaling: { type: 'keda' } } },
    'executions.mode=queue',
  ],
  [
    'min-above-max-replicas',
    'worker.autoscaling.minReplicas=5',
    scaled('worker', { type: 'hpa', minReplicas: 5 }),
    'worker.autoscaling.maxReplicas=4',
  ],
  [
    'hpa-from-zero',
    'worker.autoscaling.minReplicas=0',
    scaled('worker', { type: 'hpa', minReplicas: 0 }),
    'worker.autoscaling.type=keda',
  ],
  [
    'autoscaling-of-no-webhook-processors',
    'webhook.autoscaling.type=hpa',
    scaled('webhook', { type: 'hpa' }, { replicas: 0 }),
    'webhook.replicas',
  ],
  ['hpa-without-cpu-request', 'worker.resources.requests.cpu', scaled('worker', { type: 'hpa' }, noCpu)],
  [
    'hpa-without-cpu-request',
    'worker.extraContainers[0].resources.requests.cpu',
    scaled('worker', { type: 'hpa' }, { extraContainers: [{ name: 'x', image: 'x:1' }] }),
  ],
  [
    'hpa-without-cpu-request',
    'taskRunners.resources.requests.cpu',
    { ...scaled('worker', { type: 'hpa' }), taskRunners: { mode: 'external', ...noCpu } },
  ],
  ['hpa-metric-incomplete', 'worker.autoscaling.metrics[0].type=resource', metric({ type: 'resource' }), 'Resource'],
  [
    'hpa-metric-incomplete',
    'worker.autoscaling.metrics[0].type=Pods',
    metric({ type: 'Pods', object: {} }),
    'pods: {...}',
  ],
  [
    'hpa-cpu-twice',
    'worker.autoscaling.metrics[0]',
    metric({ type: 'Resource', resource: { name: 'cpu' } }),
    'worker.autoscaling.targetCPUUtilizationPercentage',
  ],
  [
    'hpa-without-memory-request',
    'worker.resources.requests.memory',
    metric({ type: 'Resource', resource: { name: 'memory', target } }, noMemory),
  ],
  [
    'hpa-without-memory-request',
    'worker.extraContainers[0].resources.requests.memory',
    metric({ type: 'Resource', resource: { name: 'memory', target } }, { extraContainers: [proxy] }),
  ],
  [
    'hpa-metric-without-target',
    'worker.autoscaling.metrics[0].external',
    metric({ type: 'External', external: { metric: { name: 'waiting' } } }),
    'target',
  ],
  [
    'hpa-never-scales',
    'worker.autoscaling.targetCPUUtilizationPercentage=95',
    scaled('worker', { type: 'hpa', targetCPUUtilizationPercentage: 95 }, { resources: { requests: { cpu: 1 } } }),
    'Lower it to 89',
  ],
  [
    'keda-without-metrics',
    'webhook.autoscaling.type=keda',
    scaled('webhook', { type: 'keda' }),
    'metrics.enabled=true',
  ],
  [
    'webhook-metrics-unsupported',
    'webhook.autoscaling.type=keda',
    { ...kedaOfWebhooks, image: { tag: '2.26.0' } },
    'webhook.autoscaling.type=hpa',
  ],
  [
    'keda-without-overload',
    'webhook.autoscaling.type=keda',
    { ...kedaOfWebhooks, overload: { enabled: false } },
    'webhook.autoscaling.type=hpa',
  ],
]);
