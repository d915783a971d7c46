import { own, queue } from '../render.js';
import { tests } from './cases.js';

await tests('_overload.tpl', [
  ['requests-above-memory', 'overload.maxRequests=80', { overload: { maxRequests: 80 } }, 'Lower it to 51', '2224 MiB'],
  [
    'requests-above-memory',
    'overload.maxRequests=40',
    queue({ overload: { maxRequests: 40 } }),
    'webhook.resources.limits.memory',
  ],
  [
    'requests-above-memory',
    'overload.maxRequests=60',
    queue({
      worker: { replicas: 4, concurrency: 15 },
      database: { type: 'postgresql', poolSize: 5 },
      overload: { maxRequests: 60 },
    }),
    'Lower it to 32',
  ],
  [
    'requests-above-children',
    'overload.maxRequests=5',
    { ...own(4, '1Gi'), overload: { maxRequests: 5 } },
    'executions.own.children',
  ],
  ['no-effect', 'overload.maxRequests=20', { overload: { enabled: false, maxRequests: 20 } }],
]);
