import { queue } from '../render.js';
import { tests } from './cases.js';

await tests('_resources.tpl', [
  [
    'request-above-limit',
    'main.resources.requests.cpu',
    { main: { resources: { requests: { cpu: '2500m' }, limits: { cpu: 2 } } } },
    '2500m',
    '2000m',
  ],
  [
    'request-above-limit',
    'redis.resources.requests.memory',
    queue({ redis: { resources: { requests: { memory: '1Gi' } } } }),
    '1024 MiB',
  ],
  [
    'memory-below-1-mib',
    'main.resources.limits.memory=2',
    { main: { resources: { requests: { memory: '1' }, limits: { memory: '2' } } } },
  ],
]);
