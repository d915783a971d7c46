import { queue } from '../render.js';
import { tests } from './cases.js';

const code = 'too-many-connections';

await tests('_connections.tpl', [
  [
    code,
    'postgresql.maxConnections=250',
    queue({ worker: { replicas: 10 } }),
    '(1 main + 10 workers + 2 webhook processors + 1 more during a rolling update) × 20',
    '= 280',
    'postgresql.maxConnections to 290',
  ],
  [
    code,
    'externalPostgresql.maxConnections=100',
    queue({ externalPostgresql: { host: 'pg', existingSecret: 's', maxConnections: 100 } }),
    'worker.replicas',
  ],
  [
    code,
    'postgresql.maxConnections=250',
    queue({ worker: { autoscaling: { type: 'hpa', maxReplicas: 50 } } }),
    '50 workers',
    'worker.autoscaling.maxReplicas',
    'postgresql.maxConnections to 1090',
  ],
]);
