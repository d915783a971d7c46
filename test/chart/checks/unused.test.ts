import { queue, type Values } from '../render.js';
import { type Case, tests } from './cases.js';

const mine = { existingSecret: 'mine' };
const cases: [value: string, values: Values, because: string][] = [
  ['postgresql.existingSecret=mine', { postgresql: mine }, 'no PostgreSQL is embedded'],
  ['postgresql.parameters=work_mem', { postgresql: { parameters: { work_mem: 8 } } }, 'no PostgreSQL is embedded'],
  ['externalPostgresql.existingSecret=mine', { externalPostgresql: mine }, 'externalPostgresql.host is empty'],
  [
    'externalPostgresql.tls.existingSecret=mine',
    queue({ externalPostgresql: { host: 'pg', existingSecret: 's', tls: mine } }),
    'externalPostgresql.tls.enabled=false',
  ],
  ['redis.existingSecret=mine', { redis: mine }, 'no Redis is embedded'],
  ['externalRedis.existingSecret=mine', { externalRedis: mine }, 'externalRedis.host is empty'],
  ['externalRedis.prefix=mine', { externalRedis: { prefix: 'mine' } }, 'externalRedis.host is empty'],
  [
    'externalRedis.tls.serverName=mine',
    queue({ externalRedis: { host: 'r', tls: { serverName: 'mine' } } }),
    'externalRedis.tls.enabled=false',
  ],
  ['hardening.allowedHosts=erp', { hardening: { allowedHosts: ['erp'] } }, 'hardening.enabled=false'],
  ['externalPostgresql.passwordFile=/p', { externalPostgresql: { passwordFile: '/p' } }, 'host is empty'],
  ['externalRedis.passwordFile=/p', { externalRedis: { passwordFile: '/p' } }, 'host is empty'],
  [
    'worker.autoscaling.metrics=[...]',
    queue({ worker: { autoscaling: { metrics: [{ type: 'Resource' }] } } }),
    'worker.autoscaling.type is not hpa',
  ],
  [
    'webhook.autoscaling.metrics=[...]',
    queue({ webhook: { autoscaling: { metrics: [{ type: 'Resource' }] } } }),
    'webhook.autoscaling.type is not hpa',
  ],
  ['worker.replicas=3', { worker: { replicas: 3 } }, 'executions.mode=regular has no workers'],
  ['worker.concurrency=20', { worker: { concurrency: 20 } }, 'executions.mode=regular has no workers'],
  ['webhook.replicas=3', { webhook: { replicas: 3 } }, 'executions.mode=regular has no webhook processors'],
  ['externalPostgresql.tls.enabled=true', queue({ externalPostgresql: { tls: { enabled: true } } }), 'host is empty'],
  [
    'externalPostgresql.tls.rejectUnauthorized=false',
    queue({ externalPostgresql: { host: 'pg', existingSecret: 's', tls: { rejectUnauthorized: false } } }),
    'externalPostgresql.tls.enabled=false',
  ],
  ['externalRedis.tls.enabled=true', queue({ externalRedis: { tls: { enabled: true } } }), 'host is empty'],
  [
    'externalRedis.tls.rejectUnauthorized=false',
    queue({ externalRedis: { host: 'r', tls: { rejectUnauthorized: false } } }),
    'externalRedis.tls.enabled=false',
  ],
  ['binaryData.s3.bucket=mine', { binaryData: { s3: { bucket: 'mine' } } }, 'binaryData.mode'],
  [
    'main.persistence.existingClaim=mine',
    { main: { persistence: { enabled: false, existingClaim: 'mine' } } },
    'main.persistence.enabled=false',
  ],
  ['loadTargets.existingSecret=mine', { loadTargets: mine }, 'loadTargets.enabled=false'],
];

await tests(
  '_unused.tpl',
  cases.map(([value, values, because]): Case => ['no-effect', value, values, because]),
);
