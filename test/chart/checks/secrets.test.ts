import { env, queue, render, type Values } from '../render.js';
import { tests } from './cases.js';

const external = (externalPostgresql: Values, externalRedis: Values = {}): Values =>
  queue({ externalPostgresql, externalRedis });
const bucket = (s3: Values): Values => ({
  binaryData: { mode: 's3', s3: { host: 's3.example.com', bucket: 'n8n', region: 'eu-central-1', ...s3 } },
});
const file = '/vault/secrets/password';

await tests('_secrets.tpl', [
  [
    'secret-twice',
    `externalPostgresql.passwordFile=${file}`,
    external({ host: 'pg', existingSecret: 'mine', passwordFile: file }),
    'externalPostgresql.existingSecret=mine',
  ],
  [
    'secret-file-unsupported',
    `encryptionKey.file=${file}`,
    { image: { tag: '1.50.0' }, encryptionKey: { file } },
    'encryptionKey.existingSecret',
  ],
  [
    'key-of-no-secret',
    'externalPostgresql.existingSecretUserKey=username',
    external({ host: 'pg', passwordFile: file, existingSecretUserKey: 'username' }),
  ],
  [
    'given-twice',
    'externalPostgresql.host=pg',
    external({ host: 'pg', existingSecret: 'mine', existingSecretHostKey: 'host' }),
    'externalPostgresql.existingSecretHostKey=host',
  ],
  [
    'given-twice',
    'externalPostgresql.user=me',
    external({ host: 'pg', passwordFile: file, user: 'me', userFile: '/vault/secrets/user' }),
    'externalPostgresql.userFile=/vault/secrets/user',
  ],
  [
    'secret-file-unsupported',
    `license.file=${file}`,
    { image: { tag: '1.50.0' }, license: { file } },
    'license.existingSecret',
  ],
  [
    'secret-twice',
    `binaryData.s3.accessKeyFile=${file}`,
    bucket({ existingSecret: 'mine', accessKeyFile: file, secretKeyFile: file }),
    'binaryData.s3.existingSecret=mine',
  ],
  ['half-of-an-access-key', 'binaryData.s3.secretKeyFile', bucket({ accessKeyFile: file })],
  ['half-of-an-access-key', 'binaryData.s3.accessKeyFile', bucket({ secretKeyFile: file })],
  ['secret-twice', `license.file=${file}`, { license: { file, existingSecret: 'mine' } }],
  [
    'keda-without-password',
    `externalRedis.passwordFile=${file}`,
    {
      ...external({ host: 'pg', existingSecret: 'mine' }, { host: 'r', passwordFile: file }),
      worker: { autoscaling: { type: 'keda', maxReplicas: 3 } },
    },
    'worker.autoscaling.type=hpa',
  ],
]);

it('takes host, user and database from the Secret of an operator, as CloudNativePG writes it', () => {
  const objects = render(
    external({
      existingSecret: 'cluster-app',
      existingSecretHostKey: 'host',
      existingSecretUserKey: 'username',
      existingSecretDatabaseKey: 'dbname',
    }),
  );
  expect(objects.filter(({ kind, metadata }) => kind === 'StatefulSet' && /postgresql/.test(metadata.name))).toEqual(
    [],
  );
  const of = (key: string) => ({ secretKeyRef: { name: 'cluster-app', key } });
  for (const component of ['main', 'worker', 'webhook'] as const)
    expect(env(objects, component)).toMatchObject({
      DB_POSTGRESDB_HOST: of('host'),
      DB_POSTGRESDB_USER: of('username'),
      DB_POSTGRESDB_DATABASE: of('dbname'),
      DB_POSTGRESDB_PASSWORD: of('password'),
      DB_POSTGRESDB_PORT: '5432',
    });
});

it('takes host, user, database and licence from files', () => {
  const objects = render({
    ...external({ hostFile: '/v/host', userFile: '/v/user', databaseFile: '/v/database', passwordFile: file }),
    license: { file: '/v/licence' },
  });
  expect(objects.filter(({ kind, metadata }) => kind === 'StatefulSet' && /postgresql/.test(metadata.name))).toEqual(
    [],
  );
  const main = env(objects, 'main');
  expect(main).toMatchObject({
    DB_POSTGRESDB_HOST_FILE: '/v/host',
    DB_POSTGRESDB_USER_FILE: '/v/user',
    DB_POSTGRESDB_DATABASE_FILE: '/v/database',
    N8N_LICENSE_ACTIVATION_KEY_FILE: '/v/licence',
  });
  for (const name of ['HOST', 'USER', 'DATABASE']) expect(main).not.toHaveProperty(`DB_POSTGRESDB_${name}`);
});

it('takes secrets from files, and then needs no Secret and no Job', () => {
  const objects = render({
    ...external({ host: 'pg', passwordFile: file }, { host: 'r', passwordFile: file }),
    ...bucket({ accessKeyFile: '/vault/secrets/id', secretKeyFile: '/vault/secrets/secret' }),
    encryptionKey: { file: '/vault/secrets/key' },
  });
  for (const component of ['main', 'worker', 'webhook'] as const) {
    expect(env(objects, component)).toMatchObject({
      DB_POSTGRESDB_PASSWORD_FILE: file,
      QUEUE_BULL_REDIS_PASSWORD_FILE: file,
      N8N_ENCRYPTION_KEY_FILE: '/vault/secrets/key',
      N8N_EXTERNAL_STORAGE_S3_ACCESS_KEY_FILE: '/vault/secrets/id',
      N8N_EXTERNAL_STORAGE_S3_ACCESS_SECRET_FILE: '/vault/secrets/secret',
    });
    expect(env(objects, component)).not.toHaveProperty('N8N_EXTERNAL_STORAGE_S3_AUTH_AUTO_DETECT');
    for (const name of ['DB_POSTGRESDB_PASSWORD', 'QUEUE_BULL_REDIS_PASSWORD', 'N8N_ENCRYPTION_KEY'])
      expect(env(objects, component)).not.toHaveProperty(name);
  }
  expect(objects.filter(({ kind }) => kind === 'Job')).toEqual([]);
});
