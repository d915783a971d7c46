import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { satisfies } from 'semver';
import { parse } from 'yaml';
import { chart, container, env, queue, render, type Values } from './render.js';

interface Row {
  reads?: string;
  sets?: string;
  use?: string;
  fixed?: string;
}
const table: Record<string, Row> = parse(readFileSync(join(chart, 'files/environment.yaml'), 'utf8'));

/** Read by Node, not by n8n; the chart's own hook reads those of N8N_TUNED_. */
const nodes = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'TZ'];

const runtimes = join(process.env.N8N_TUNED_CACHE ?? join(homedir(), '.cache/n8n-tuned'), 'runtimes');
const installed = ['n8n-0', 'n8n-1', 'n8n-2'].filter((runtime) =>
  existsSync(join(runtimes, runtime, 'node_modules/n8n/package.json')),
);

/** Every name that the sources of an installed n8n take from the environment. */
function readBy(modules: string): Set<string> {
  const packages = ['n8n', 'n8n-core', 'n8n-workflow'].map((name) => join(modules, name));
  const scope = join(modules, '@n8n');
  if (existsSync(scope)) packages.push(...readdirSync(scope).map((name) => join(scope, name)));
  const names = new Set<string>();
  for (const dist of packages.map((path) => join(path, 'dist')).filter((path) => existsSync(path))) {
    for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
      // What warns of old variables names them without reading them.
      if (!file.endsWith('.js') || /deprecation|breaking-changes|prompts|best-practices|node_modules/.test(file))
        continue;
      const text = readFileSync(join(dist, file), 'utf8');
      for (const [, env, quoted] of text.matchAll(/\benv\.([A-Z][A-Z0-9_]+)\b|'([A-Z][A-Z0-9]*_[A-Z0-9_]+)'/g)) {
        names.add(env ?? quoted!);
      }
      // Several at once, out of the environment.
      for (const [, list] of text.matchAll(/\{([^{}]+)\} = process\.env\b/g)) {
        for (const [name] of list!.matchAll(/\b[A-Z][A-Z0-9_]+\b/g)) names.add(name);
      }
    }
  }
  return names;
}

describe('the table of variables', () => {
  const each = installed.length > 0 ? it.each(installed) : it.skip.each(['no runtime is installed']);
  each('agrees with the sources of %s', (runtime) => {
    const modules = join(runtimes, runtime, 'node_modules');
    const { version } = JSON.parse(readFileSync(join(modules, 'n8n/package.json'), 'utf8'));
    const read = readBy(modules);
    const ofHooks = /^(N8N_TUNED_|LOAD_TARGETS$)/;
    const said = Object.entries(table).filter(([name]) => !nodes.includes(name) && !ofHooks.test(name));
    expect(said.filter(([name, { reads = '*' }]) => satisfies(version, reads) !== read.has(name))).toEqual([]);
  });

  it('sets no variable that the component does not read', () => {
    const versions = [...new Set(readFileSync(join(chart, 'files/environment.yaml'), 'utf8').match(/\d+\.\d+\.\d+/g))];
    for (const [name, { reads = '*', sets = reads }] of Object.entries(table)) {
      for (const version of versions) {
        if (satisfies(version, sets))
          expect({ name, version, read: satisfies(version, reads) }).toMatchObject({ read: true });
      }
    }
  });
});

const secret = { host: 'pg', existingSecret: 's' };
const redis = { existingSecret: 's', user: 'u', prefix: 'mine', tls: { enabled: true, serverName: 'r' } };
/** Values that set as much as each version takes. */
const full = (more: Values = {}): Values[] => [
  { executions: { timeoutSeconds: 60, concurrencyLimit: 5 }, timezone: 'UTC', webhookUrl: 'https://n', proxyHops: 1 },
  queue({ metrics: { enabled: true }, license: { existingSecret: 'l' }, taskRunners: { mode: 'external' }, ...more }),
  queue({
    externalPostgresql: { ...secret, tls: { enabled: true, existingSecret: 't', certKey: 'c', keyKey: 'k' } },
    externalRedis: { host: 'r', ...redis },
    binaryData: { mode: 's3', s3: { host: 's3', bucket: 'b', region: 'r' } },
    caCertificates: { existingSecret: 'ca' },
  }),
  queue({
    externalRedis: { cluster: { nodes: ['r:6379'] } },
    binaryData: { mode: 's3', s3: { host: 's', bucket: 'b', region: 'r', existingSecret: 's' } },
  }),
];

/** What the values give any n8n container. */
function given(values: Values): string[] {
  const objects = render(values);
  const there = (['main', 'worker', 'webhook'] as const).filter((component) =>
    objects.some((o) => o.kind === 'Deployment' && o.metadata.name === `n8n-tuned-${component}`),
  );
  return there.flatMap((component) => container(objects, component).env.map((e: any) => e.name));
}

it('every variable that the chart sets is in the table', () => {
  const set = new Set(full().flatMap(given));
  expect(set.size).toBeGreaterThan(60);
  const read = [...set].map((name) => name.replace(/_FILE$/, ''));
  expect(read.filter((name) => !(name in table) && !/^EXTERNAL_HOOK|^LOAD_TARGET/.test(name))).toEqual([]);
});

it.each([
  '0.221.2',
  '1.26.0',
  '1.27.0',
  '1.59.0',
  '1.123.81',
  '2.0.0',
  '2.29.0',
  '2.34.6',
  '2.39.10',
  '2.41.1',
  '2.99.0',
])('n8n %s gets those variables that it reads, and no other', (tag) => {
  const names = new Set([
    ...given({ image: { tag } }),
    ...given(queue({ image: { tag }, metrics: { enabled: true }, webhookUrl: 'https://n' })),
  ]);
  const unread = [...names].filter(
    (name) => table[name] && !satisfies(tag, table[name].sets ?? table[name].reads ?? '*'),
  );
  expect(unread).toEqual([]);
  expect(names.has('N8N_GRACEFUL_SHUTDOWN_TIMEOUT')).toBe(tag !== '0.221.2');
  expect(names.has('N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE')).toBe(['2.41.1', '2.99.0'].includes(tag));
  expect(names.has('N8N_WEBHOOK_URL')).toBe(['2.34.6', '2.39.10', '2.41.1', '2.99.0'].includes(tag));
});

it('keeps the history by age, and more of it than n8n does', () => {
  const history = (values: Values) => {
    const { EXECUTIONS_DATA_MAX_AGE: hours, EXECUTIONS_DATA_PRUNE_MAX_COUNT: count } = env(render(values), 'main');
    return { hours: Number(hours), count: Number(count) };
  };
  const { hours, count } = history({});
  expect(hours).toBe(336);
  // At 20/s a crashed execution lasts for longer than n8n takes to find it: 180 min, and an hour until it prunes.
  expect(count / 20).toBeGreaterThan((180 + 60) * 60);
  expect(history({ executions: { data: { prune: { maxCount: 0, maxAgeHours: 72 } } } })).toEqual({
    hours: 72,
    count: 0,
  });
});

describe('lost executions', () => {
  const recovery = (values: Values) =>
    Object.fromEntries(Object.entries(env(render(values), 'main')).filter(([name]) => name.includes('_RECOVERY_')));

  it('are looked for in queue mode, behind a backlog too', () => {
    expect(recovery(queue())).toEqual({
      N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '180',
      N8N_EXECUTIONS_QUEUE_RECOVERY_BATCH: '10000',
    });
    expect(recovery(queue({ executions: { recovery: { intervalMinutes: 30, batchSize: 500 } } }))).toEqual({
      N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '30',
      N8N_EXECUTIONS_QUEUE_RECOVERY_BATCH: '500',
    });
  });

  it('are not looked for in regular mode, nor by an n8n version without the setting', () => {
    expect(recovery({})).toEqual({});
    expect(recovery(queue({ image: { tag: '1.47.0' } }))).toEqual({});
  });
});

describe('the expression engine', () => {
  const engine = (values: Values, component: 'main' | 'worker' | 'webhook' = 'main') =>
    Object.entries(env(render(values), component)).filter(([name]) => name.startsWith('N8N_EXPRESSION_ENGINE'));

  it.each<[string, Values, 'main' | 'worker' | 'webhook', string | undefined]>([
    ['5 where nothing limits the executions', {}, 'main', '5'],
    ['the limit of executions', { executions: { concurrencyLimit: 8 } }, 'main', '8'],
    ['20 at most', { executions: { concurrencyLimit: 100 } }, 'main', '20'],
    ['the concurrency of a worker', queue({ worker: { concurrency: 7 } }), 'worker', '7'],
    ['what is given', queue({ expressionEngine: { poolSize: 3 } }), 'worker', '3'],
    ["n8n's own 1 in a main that hands executions on", queue(), 'main', undefined],
    ["n8n's own 1 in a webhook processor", queue(), 'webhook', undefined],
  ])('keeps isolates ready: %s', (_name, values, component, size) => {
    expect(Object.fromEntries(engine(values, component)).N8N_EXPRESSION_ENGINE_POOL_SIZE).toBe(size);
  });

  it('is vm with what makes it faster', () => {
    expect(engine({})).toEqual([
      ['N8N_EXPRESSION_ENGINE', 'vm'],
      ['N8N_EXPRESSION_ENGINE_POOL_SIZE', '5'],
      ['N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE', 'true'],
      ['N8N_EXPRESSION_ENGINE_COMPILE_CACHE', 'true'],
    ]);
  });

  it('is legacy if acceptLessSafe is set', () => {
    expect(engine({ expressionEngine: { type: 'legacy', acceptLessSafe: true } })).toEqual([
      ['N8N_EXPRESSION_ENGINE', 'legacy'],
    ]);
  });

  it("stays n8n's default in versions where vm was experimental", () =>
    expect(engine({ image: { tag: '2.30.0' } })).toEqual([]));
});

describe('files of executions', () => {
  it.each<[string, Values, string, string | undefined]>([
    ['regular', {}, 'filesystem', undefined],
    [
      'regular without a volume, with PostgreSQL',
      { main: { persistence: { enabled: false } }, database: { type: 'postgresql' } },
      'database',
      undefined,
    ],
    [
      'regular without a volume, before the mode database',
      { image: { tag: '1.100.0' }, main: { persistence: { enabled: false } }, database: { type: 'postgresql' } },
      'default',
      'filesystem',
    ],
    ['regular 1.x', { image: { tag: '1.123.81' } }, 'filesystem', 'filesystem'],
    ['queue', queue(), 'database', undefined],
    ['queue 1.123', queue({ image: { tag: '1.123.81' } }), 'database', 'filesystem,database'],
    ['queue below', queue({ image: { tag: '1.100.0' } }), 'default', 'filesystem'],
    ['queue 0.x', queue({ image: { tag: '0.221.2' } }), 'default', 'filesystem'],
  ])('%s', (_name, values, mode, available) => {
    const environment = env(render(values), 'main');
    expect(environment.N8N_DEFAULT_BINARY_DATA_MODE).toBe(mode);
    expect(environment.N8N_AVAILABLE_BINARY_DATA_MODES).toBe(available);
  });

  const s3 = { host: 'minio:9000', protocol: 'http', bucket: 'files', region: 'eu' };
  it('go to S3 with the key of a Secret', () => {
    const values = queue({ binaryData: { mode: 's3', s3: { ...s3, existingSecret: 'key' } } });
    for (const component of ['main', 'worker', 'webhook'] as const) {
      const environment = env(render(values), component);
      expect(environment).toMatchObject({
        N8N_DEFAULT_BINARY_DATA_MODE: 's3',
        N8N_EXTERNAL_STORAGE_S3_HOST: 'minio:9000',
        N8N_EXTERNAL_STORAGE_S3_PROTOCOL: 'http',
        N8N_EXTERNAL_STORAGE_S3_BUCKET_NAME: 'files',
        N8N_EXTERNAL_STORAGE_S3_BUCKET_REGION: 'eu',
        N8N_EXTERNAL_STORAGE_S3_ACCESS_KEY: { secretKeyRef: { name: 'key', key: 'access-key' } },
        N8N_EXTERNAL_STORAGE_S3_ACCESS_SECRET: { secretKeyRef: { name: 'key', key: 'secret-key' } },
      });
      expect(environment).not.toHaveProperty('N8N_EXTERNAL_STORAGE_S3_AUTH_AUTO_DETECT');
    }
  });
  it("go to S3 as the pod's service account", () => {
    const environment = env(render({ binaryData: { mode: 's3', s3 } }), 'main');
    expect(environment.N8N_EXTERNAL_STORAGE_S3_AUTH_AUTO_DETECT).toBe('true');
    expect(environment).not.toHaveProperty('N8N_EXTERNAL_STORAGE_S3_ACCESS_KEY');
  });
});

describe('TLS', () => {
  const tls = { enabled: true, existingSecret: 'pg-tls' };
  const postgresql = (more: Values, tag = '2.41.1') =>
    env(render(queue({ image: { tag }, externalPostgresql: { ...secret, tls: more } })), 'worker');

  it('to PostgreSQL trusts the authority of a Secret', () => {
    expect(postgresql(tls)).toMatchObject({
      DB_POSTGRESDB_SSL_ENABLED: 'true',
      DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED: 'true',
      DB_POSTGRESDB_SSL_CA_FILE: '/etc/n8n-tuned-postgresql/ca.pem',
    });
  });
  it('to PostgreSQL shows a client certificate', () => {
    const environment = postgresql({ ...tls, caKey: '', certKey: 'tls.crt', keyKey: 'tls.key' });
    expect(environment).toMatchObject({
      DB_POSTGRESDB_SSL_CERT_FILE: '/etc/n8n-tuned-postgresql/cert.pem',
      DB_POSTGRESDB_SSL_KEY_FILE: '/etc/n8n-tuned-postgresql/key.pem',
    });
    expect(environment).not.toHaveProperty('DB_POSTGRESDB_SSL_CA_FILE');
  });
  it('to PostgreSQL is enabled in old versions by the CA certificate, the only setting that they read', () => {
    const environment = postgresql(tls, '0.221.2');
    expect(environment).toMatchObject({ DB_POSTGRESDB_SSL_CA: { secretKeyRef: { name: 'pg-tls', key: 'ca.crt' } } });
    expect(environment).not.toHaveProperty('DB_POSTGRESDB_SSL_ENABLED');
  });
  it('to PostgreSQL reads its certificates from files, since a variable holds no long bundle', () => {
    const values = { externalPostgresql: { ...secret, tls: { ...tls, certKey: 'tls.crt', keyKey: 'tls.key' } } };
    const objects = render(queue(values));
    const files = { CA: ['ca.crt', 'ca.pem'], CERT: ['tls.crt', 'cert.pem'], KEY: ['tls.key', 'key.pem'] };
    const items = Object.values(files).map(([key, path]) => ({ key, path }));
    for (const component of ['main', 'worker', 'webhook'] as const) {
      const { volumes, containers } = objects.find(
        (o) => o.metadata.name === `n8n-tuned-${component}` && o.spec?.template,
      ).spec.template.spec;
      expect(volumes).toContainEqual({ name: 'postgresql-tls', secret: { secretName: 'pg-tls', items } });
      const { mountPath } = containers[0].volumeMounts.find((m: any) => m.name === 'postgresql-tls');
      for (const [part, [, path]] of Object.entries(files))
        expect(env(objects, component)[`DB_POSTGRESDB_SSL_${part}_FILE`]).toBe(`${mountPath}/${path}`);
    }
  });
  it('trusts the authorities of a Secret in everything that n8n connects to', () => {
    const objects = render(queue({ caCertificates: { existingSecret: 'ours', existingSecretKey: 'bundle.pem' } }));
    for (const component of ['main', 'worker', 'webhook'] as const) {
      const { spec } = objects.find((o) => o.kind === 'Deployment' && o.metadata.name === `n8n-tuned-${component}`).spec
        .template;
      expect(spec.volumes).toContainEqual({
        name: 'ca-certificates',
        secret: { secretName: 'ours', items: [{ key: 'bundle.pem', path: 'ca.crt' }] },
      });
      const { mountPath } = spec.containers[0].volumeMounts.find((m: any) => m.name === 'ca-certificates');
      expect(env(objects, component).NODE_EXTRA_CA_CERTS).toBe(`${mountPath}/ca.crt`);
    }
  });
});

describe('Redis', () => {
  const externally = (externalRedis: Values) => env(render(queue({ externalRedis })), 'worker');

  it('Cluster is named by its nodes alone', () => {
    const environment = externally({ cluster: { nodes: ['r1:6379', 'r2:6379'] } });
    expect(environment.QUEUE_BULL_REDIS_CLUSTER_NODES).toBe('r1:6379,r2:6379');
    for (const name of ['HOST', 'PORT', 'DB']) expect(environment).not.toHaveProperty(`QUEUE_BULL_REDIS_${name}`);
  });
  it('separates two n8n deployments by a prefix of keys and channels', () => {
    expect(externally({ host: 'r', prefix: 'mine' })).toMatchObject({
      QUEUE_BULL_PREFIX: 'mine',
      N8N_REDIS_KEY_PREFIX: 'mine',
    });
  });
  it('has its certificate checked unless a value disables it', () => {
    const name = 'QUEUE_BULL_REDIS_TLS_VALIDATE_CERTIFICATE';
    expect(externally({ host: 'r', tls: { enabled: true } })[name]).toBe('true');
    expect(externally({ host: 'r', tls: { enabled: true, rejectUnauthorized: false } })[name]).toBe('false');
  });
});

it('writes the log, the time zone and the limits of executions', () => {
  const values = {
    logging: { level: 'debug', format: 'json' },
    timezone: 'Europe/Berlin',
    executions: { timeoutSeconds: 60, maxTimeoutSeconds: 120 },
  };
  expect(env(render(values), 'main')).toMatchObject({
    N8N_LOG_LEVEL: 'debug',
    N8N_LOG_FORMAT: 'json',
    GENERIC_TIMEZONE: 'Europe/Berlin',
    TZ: 'Europe/Berlin',
    EXECUTIONS_TIMEOUT: '60',
    EXECUTIONS_TIMEOUT_MAX: '120',
  });
});
