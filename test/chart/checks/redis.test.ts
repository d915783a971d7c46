import { queue } from '../render.js';
import { tests } from './cases.js';

const nodes = ['r:6379'];
const tls = (values: object) => ({ host: 'r', tls: { enabled: true, ...values } });

await tests('_redis.tpl', [
  [
    'redis-volume-too-small',
    'redis.persistence.size=1Gi',
    queue({ redis: { resources: { limits: { memory: '4Gi' } } } }),
    '4914Mi',
  ],
  // It holds the data, but not twice the data while Redis rewrites its file.
  [
    'redis-volume-too-small',
    'redis.persistence.size=1Gi',
    queue({ redis: { resources: { limits: { memory: '1700Mi' } } } }),
  ],
  ['redis-unused', 'redis.enabled=true', { redis: { enabled: true } }],
  ['redis-unused', 'externalRedis.host=r', { externalRedis: { host: 'r' } }, 'remove externalRedis.host'],
  [
    'redis-unused',
    'externalRedis.cluster.nodes=r:6379',
    { externalRedis: { cluster: { nodes } } },
    'remove externalRedis.cluster.nodes',
  ],
  [
    'redis-twice',
    'redis.enabled=true',
    queue({ redis: { enabled: true }, externalRedis: { host: 'r' } }),
    'externalRedis.host=r',
  ],
  [
    'redis-without-memory-limit',
    'redis.resources.limits.memory',
    queue({ redis: { resources: { limits: { memory: null } } } }),
    '512Mi',
  ],
  ['redis-missing', 'redis.enabled=false', queue({ redis: { enabled: false } })],
  ['redis-host-and-cluster', 'externalRedis.host=r', queue({ externalRedis: { host: 'r', cluster: { nodes } } })],
  [
    'redis-cluster-unsupported',
    'externalRedis.cluster.nodes',
    queue({ image: { tag: '1.0.0' }, externalRedis: { cluster: { nodes } } }),
    'image.tag to 1.2.0',
  ],
  [
    'redis-cluster-database',
    'externalRedis.database=2',
    queue({ externalRedis: { database: 2, cluster: { nodes } } }),
    'externalRedis.prefix',
  ],
  [
    'redis-tls-unsupported',
    'externalRedis.tls.enabled=true',
    queue({ image: { tag: '1.5.0' }, externalRedis: tls({}) }),
    'image.tag to 1.6.0',
  ],
  [
    'redis-tls-always-verified',
    'externalRedis.tls.rejectUnauthorized=false',
    queue({ image: { tag: '2.29.0' }, externalRedis: tls({ rejectUnauthorized: false }) }),
    'caCertificates.existingSecret',
  ],
  [
    'redis-tls-server-name-unsupported',
    'externalRedis.tls.serverName=s',
    queue({ image: { tag: '2.29.0' }, externalRedis: tls({ serverName: 's' }) }),
    'image.tag to 2.30.0',
  ],
  [
    'redis-cluster-tls-unsupported',
    'externalRedis.tls.enabled=true',
    queue({
      image: { tag: '1.123.81' },
      externalRedis: { cluster: { nodes: ['a.example:6379'] }, tls: { enabled: true } },
    }),
    'image.tag to 2.3.0',
  ],
  [
    'keda-without-server-name',
    'externalRedis.tls.serverName=redis.example.com',
    queue({
      postgresql: { maxConnections: 400 },
      externalRedis: { host: '10.0.0.5', tls: { enabled: true, serverName: 'redis.example.com' } },
      worker: { autoscaling: { type: 'keda' } },
    }),
    'worker.autoscaling.type=hpa',
  ],
]);
