import { queue, type Values } from '../render.js';
import { tests } from './cases.js';

const external = (tls: object = {}, more: Values = {}): Values =>
  queue({ externalPostgresql: { host: 'pg', existingSecret: 's', tls: { enabled: true, ...tls } }, ...more });

await tests('_database.tpl', [
  ['sqlite-in-queue', 'database.type=sqlite', { executions: { mode: 'queue' } }, 'database.type=postgresql'],
  ['postgresql-unused', 'postgresql.enabled=true', { postgresql: { enabled: true } }],
  ['postgresql-unused', 'externalPostgresql.host=pg', { externalPostgresql: { host: 'pg' } }],
  ['postgresql-twice', 'postgresql.enabled=true', external({}, { postgresql: { enabled: true } })],
  ['postgresql-missing', 'postgresql.enabled=false', queue({ postgresql: { enabled: false } })],
  [
    'postgresql-parameter-fixed',
    'postgresql.parameters.max_connections',
    queue({ postgresql: { parameters: { max_connections: 50 } } }),
    'postgresql.maxConnections',
  ],
  [
    'postgresql-password-missing',
    'externalPostgresql.existingSecret',
    queue({ externalPostgresql: { host: 'pg' } }),
    'password',
  ],
  [
    'postgresql-tls-unsupported',
    'externalPostgresql.tls.enabled=true',
    external({}, { image: { tag: '0.221.2' } }),
    'image.tag to 1.18.0',
  ],
  ['postgresql-tls-half-certificate', 'externalPostgresql.tls.keyKey', external({ existingSecret: 't', certKey: 'c' })],
  ['postgresql-tls-without-secret', 'externalPostgresql.tls.existingSecret', external({ certKey: 'c', keyKey: 'k' })],
  [
    'postgresql-ca-ignored',
    'externalPostgresql.tls.rejectUnauthorized=false',
    external({ rejectUnauthorized: false, existingSecret: 'ca' }),
    'the CA in ca has no effect',
  ],
  [
    'postgresql-tls-without-keys',
    'externalPostgresql.tls.existingSecret=t',
    external({ existingSecret: 't', caKey: '' }),
    'externalPostgresql.tls.caKey',
  ],
]);
