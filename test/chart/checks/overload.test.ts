import { own, queue } from '../render.js';
import { tests } from './cases.js';

await tests('_overload.tpl', [
  [
    'requests-above-memory',
    'overload.maxRequests=120',
    { overload: { maxRequests: 120 } },
    'Lower it to 87',
    '2064 MiB',
  ],
  [
    'requests-above-memory',
    'overload.maxRequests=80',
    queue({ overload: { maxRequests: 80 } }),
    'webhook.resources.limits.memory',
  ],
  [
    'requests-above-memory',
    'overload.maxRequests=90',
    queue({
      worker: { replicas: 4, concurrency: 15 },
      database: { type: 'postgresql', poolSize: 5 },
      overload: { maxRequests: 90 },
    }),
    'Lower it to 76',
  ],
  [
    'requests-above-memory',
    'overload.requestMegabytes=300',
    { overload: { requestMegabytes: 300 } },
    'main works on 5 requests at least',
    '2364 MiB',
  ],
  [
    'requests-above-memory',
    'executions.concurrencyLimit=200',
    { executions: { concurrencyLimit: 200 } },
    'main works on 200 requests at least',
    'overload.requestMegabytes',
  ],
  [
    'requests-above-memory',
    'worker.concurrency=150',
    queue({ worker: { concurrency: 150 } }),
    'webhook works on 150 requests at least',
  ],
  [
    'requests-above-memory',
    'overload.maxRequests=200',
    { executions: { concurrencyLimit: 200 }, overload: { maxRequests: 200 } },
    'Lower it to 87',
  ],
  [
    'requests-above-children',
    'overload.maxRequests=5',
    { ...own(4, '1Gi'), overload: { maxRequests: 5 } },
    'executions.own.children',
  ],
  [
    'keda-never-scales',
    'webhook.autoscaling.keda.requests=200',
    queue({
      metrics: { enabled: true },
      webhook: { autoscaling: { type: 'keda', maxReplicas: 4, keda: { requests: 200 } } },
    }),
    'at most 15 requests',
  ],
]);
