import { queue } from '../render.js';
import { type Case, tests } from './cases.js';

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
    'request-above-limit',
    'secretJob.resources.requests.memory',
    { secretJob: { resources: { requests: { memory: '1Gi' } } } },
    'secretJob.resources.limits.memory (256 MiB)',
  ],
  ...['taskRunners', 'loadTest', 'communityPackages'].map((of): Case => [
    'request-above-limit',
    `${of}.resources.requests.cpu`,
    { [of]: { resources: { requests: { cpu: '64' } } } },
  ]),
  [
    'memory-below-1-mib',
    'main.resources.limits.memory=2',
    { main: { resources: { requests: { memory: '1' }, limits: { memory: '2' } } } },
  ],
]);
