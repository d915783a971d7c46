import { queue } from '../render.js';
import { tests } from './cases.js';

await tests('_overload.tpl', [
  ['requests-above-memory', 'overload.maxRequests=80', { overload: { maxRequests: 80 } }, 'Lower it to 51', '2224 MiB'],
  [
    'requests-above-memory',
    'overload.maxRequests=40',
    queue({ overload: { maxRequests: 40 } }),
    'webhook.resources.limits.memory',
  ],
  ['no-effect', 'overload.maxRequests=20', { overload: { enabled: false, maxRequests: 20 } }],
]);
