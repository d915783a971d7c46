import { container, own, queue, refusals, render, type Values } from './render.js';

/** Each refusal: values, the value that the sentence names, and the remedy that it gives. */
const table: [name: string, values: Values, names: string, remedy: string][] = [
  ['a tag that is no version', { image: { tag: 'latest' } }, 'image.tag=latest', 'Set image.version'],
  ['a version that is none', { image: { version: 'stable' } }, 'image.version=stable', 'Set image.version'],
  ['a digest alone', { image: { digest: `sha256:${'a'.repeat(64)}` } }, 'image.digest', 'Set image.version'],
  [
    'own mode from 1.27 on',
    { executions: { process: 'own' } },
    'executions.process=own was removed in n8n 1.27.0',
    'Set executions.mode=queue',
  ],
  [
    'own mode in 1.27.0 itself',
    { image: { tag: '1.27.0' }, executions: { process: 'own' } },
    'exit code -1',
    'or image.tag below 1.27',
  ],
  [
    'own mode in queue mode',
    queue({ image: { tag: '0.221.2' }, executions: { process: 'own' } }),
    'executions.process=own',
    'Set executions.process=main',
  ],
  [
    'a concurrency limit in queue mode',
    queue({ executions: { concurrencyLimit: 5 } }),
    'executions.concurrencyLimit=5',
    'set worker.concurrency',
  ],
  [
    'a concurrency limit that n8n does not read',
    { image: { tag: '1.20.0' }, executions: { concurrencyLimit: 5 } },
    'executions.concurrencyLimit=5',
    'Remove it',
  ],
  [
    'two versions of one image',
    { image: { tag: '2.0.0', version: '0.221.2' } },
    'image.version=0.221.2 and image.tag=2.0.0 name two versions',
    'Remove image.version',
  ],
  [
    'a Secret of a PostgreSQL that is not there',
    { postgresql: { existingSecret: 'mine' } },
    'postgresql.existingSecret=mine would have no effect, since no PostgreSQL is embedded',
    'Remove it',
  ],
  [
    'a Secret of a Redis that is not there',
    { externalRedis: { existingSecret: 'mine' } },
    'externalRedis.existingSecret=mine would have no effect, since externalRedis.host is empty',
    'Remove it',
  ],
  [
    'a claim for a volume that is switched off',
    { main: { persistence: { enabled: false, existingClaim: 'mine' } } },
    'main.persistence.existingClaim=mine would have no effect',
    'Remove it',
  ],
  [
    'a request of CPU above its limit',
    { main: { resources: { requests: { cpu: '2500m' }, limits: { cpu: 2 } } } },
    'main.resources.requests.cpu (2500m)',
    'Lower the request',
  ],
  ['SQLite in queue mode', { executions: { mode: 'queue' } }, 'database.type=sqlite', 'Set database.type=postgresql'],
  [
    'an embedded PostgreSQL beside SQLite',
    { postgresql: { enabled: true } },
    'postgresql.enabled=true',
    'Set database.type=postgresql',
  ],
  [
    'an external PostgreSQL beside SQLite',
    { externalPostgresql: { host: 'pg' } },
    'externalPostgresql.host=pg',
    'Set database.type=postgresql',
  ],
  [
    'two PostgreSQLs',
    queue({ postgresql: { enabled: true }, externalPostgresql: { host: 'pg', existingSecret: 's' } }),
    'postgresql.enabled=true and externalPostgresql.host=pg',
    'Remove one',
  ],
  [
    'no PostgreSQL',
    queue({ postgresql: { enabled: false } }),
    'postgresql.enabled=false',
    'Set externalPostgresql.host',
  ],
  [
    'an external PostgreSQL without a password',
    queue({ externalPostgresql: { host: 'pg' } }),
    'externalPostgresql.existingSecret',
    'Set it to the Secret',
  ],
  [
    'PostgreSQL TLS that n8n does not know',
    queue({
      image: { tag: '0.221.2' },
      externalPostgresql: { host: 'pg', existingSecret: 's', tls: { enabled: true } },
    }),
    'externalPostgresql.tls.enabled=true',
    'image.tag to 1.18.0',
  ],
  ['Redis in regular mode', { redis: { enabled: true } }, 'redis.enabled=true', 'Set executions.mode=queue'],
  [
    'an external Redis in regular mode',
    { externalRedis: { host: 'r' } },
    'externalRedis.host=r',
    'Set executions.mode=queue',
  ],
  [
    'two Redises',
    queue({ redis: { enabled: true }, externalRedis: { host: 'r' } }),
    'redis.enabled=true and externalRedis.host=r',
    'Remove one',
  ],
  ['no Redis', queue({ redis: { enabled: false } }), 'redis.enabled=false', 'Set externalRedis.host'],
  [
    'Redis TLS that n8n does not know',
    queue({ image: { tag: '1.5.0' }, externalRedis: { host: 'r', tls: { enabled: true } } }),
    'externalRedis.tls.enabled=true',
    'image.tag to 1.6.0',
  ],
  [
    'a Redis Cluster that n8n does not know',
    queue({ image: { tag: '1.0.0' }, externalRedis: { cluster: { nodes: ['r:6379'] } } }),
    'externalRedis.cluster.nodes: n8n 1.0.0 does not know Redis Cluster',
    'image.tag to 1.2.0',
  ],
  [
    'a Redis and a Redis Cluster',
    queue({ externalRedis: { host: 'r', cluster: { nodes: ['r:6379'] } } }),
    'externalRedis.host=r would not be used',
    'Remove one',
  ],
  [
    'a database of a Redis Cluster',
    queue({ externalRedis: { database: 2, cluster: { nodes: ['r:6379'] } } }),
    'externalRedis.database=2: a Redis Cluster has database 0 alone',
    'externalRedis.prefix',
  ],
  [
    'a Redis Cluster in regular mode',
    { externalRedis: { cluster: { nodes: ['r:6379'] } } },
    'externalRedis.cluster.nodes=r:6379, but executions.mode=regular',
    'remove externalRedis.cluster.nodes',
  ],
  [
    'a certificate that a version cannot leave unchecked',
    queue({
      image: { tag: '2.29.0' },
      externalRedis: { host: 'r', tls: { enabled: true, rejectUnauthorized: false } },
    }),
    'externalRedis.tls.rejectUnauthorized=false',
    'Set caCertificates.existingSecret',
  ],
  [
    'a server name that a version does not read',
    queue({ image: { tag: '2.29.0' }, externalRedis: { host: 'r', tls: { enabled: true, serverName: 's' } } }),
    'externalRedis.tls.serverName=s',
    'image.tag to 2.30.0',
  ],
  [
    'half a client certificate',
    queue({
      externalPostgresql: {
        host: 'pg',
        existingSecret: 's',
        tls: { enabled: true, existingSecret: 't', certKey: 'c' },
      },
    }),
    'externalPostgresql.tls.certKey and externalPostgresql.tls.keyKey',
    'Set both, or none',
  ],
  [
    'a client certificate from nowhere',
    queue({
      externalPostgresql: { host: 'pg', existingSecret: 's', tls: { enabled: true, certKey: 'c', keyKey: 'k' } },
    }),
    'externalPostgresql.tls.certKey and keyKey name keys of externalPostgresql.tls.existingSecret, which is empty',
    'Set it to the Secret',
  ],
  [
    'a Secret of TLS without a key',
    queue({
      externalPostgresql: { host: 'pg', existingSecret: 's', tls: { enabled: true, existingSecret: 't', caKey: '' } },
    }),
    'externalPostgresql.tls.existingSecret=t is given, but none of its keys',
    'Set externalPostgresql.tls.caKey',
  ],
  [
    'a Secret of TLS that is off',
    queue({ externalPostgresql: { host: 'pg', existingSecret: 's', tls: { existingSecret: 't' } } }),
    'externalPostgresql.tls.existingSecret=t would have no effect, since externalPostgresql.tls.enabled=false',
    'Remove it',
  ],
  [
    'legacy expressions unawares',
    { expressionEngine: { type: 'legacy' } },
    'expressionEngine.type=legacy',
    'Set expressionEngine.acceptLessSafe=true',
  ],
  [
    'isolates of an engine that has none',
    { expressionEngine: { type: 'legacy', acceptLessSafe: true, poolSize: 4 } },
    'expressionEngine.poolSize=4 would have no effect',
    'Remove one',
  ],
  [
    'the engine by extraEnv',
    { extraEnv: [{ name: 'N8N_EXPRESSION_ENGINE', value: 'legacy' }] },
    'extraEnv sets N8N_EXPRESSION_ENGINE',
    'Use instead: expressionEngine.type',
  ],
  [
    'files on a disk that others must read',
    queue({ binaryData: { mode: 'filesystem' } }),
    'binaryData.mode=filesystem',
    'Set binaryData.mode=database or s3',
  ],
  [
    'files in a database that cannot hold them',
    queue({ image: { tag: '1.100.0' }, binaryData: { mode: 'database' } }),
    'binaryData.mode=database: n8n 1.100.0 has no such mode',
    'Set binaryData.mode=default',
  ],
  [
    'S3 without a bucket',
    { binaryData: { mode: 's3', s3: { host: 'h', existingSecret: 's' } } },
    'binaryData.s3.bucket, binaryData.s3.region are empty',
    'Set them',
  ],
  [
    'a bucket without S3',
    { binaryData: { s3: { bucket: 'b' } } },
    'binaryData.s3.bucket=b would have no effect',
    'Remove it',
  ],
  [
    'S3 that n8n does not know',
    { image: { tag: '1.0.0' }, binaryData: { mode: 's3', s3: { host: 's', bucket: 'b', region: 'r' } } },
    'binaryData.mode=s3: n8n 1.0.0 does not know S3',
    'image.tag to 1.27.0',
  ],
  [
    "S3 by the pod's identity, which n8n does not take",
    { image: { tag: '1.100.0' }, binaryData: { mode: 's3', s3: { host: 's', bucket: 'b', region: 'r' } } },
    'binaryData.s3.existingSecret is empty',
    'image.tag to 1.114.0',
  ],
  [
    'S3 in plain text, which n8n does not speak',
    {
      image: { tag: '1.50.0' },
      binaryData: { mode: 's3', s3: { host: 's', protocol: 'http', bucket: 'b', region: 'r', existingSecret: 's' } },
    },
    'binaryData.s3.protocol=http',
    'Remove it',
  ],
  [
    'a timeout above the most',
    { executions: { timeoutSeconds: 7200 } },
    'executions.timeoutSeconds=7200 is more than executions.maxTimeoutSeconds=3600',
    'Lower the one',
  ],
  [
    'a log in JSON that n8n does not write',
    { image: { tag: '1.50.0' }, logging: { format: 'json' } },
    'logging.format=json',
    'Set logging.format=text',
  ],
  [
    'proxies that n8n does not count',
    { image: { tag: '1.20.0' }, proxyHops: 2 },
    'proxyHops=2: n8n 1.20.0 does not read it',
    'Remove it',
  ],
  [
    'a memory limit without its unit',
    { main: { resources: { requests: { memory: '1' }, limits: { memory: '2' } } } },
    'main.resources.limits.memory=2 is less than 1 MiB',
    'Write the unit',
  ],
  [
    'no memory limit to compute from',
    { main: { resources: { limits: { memory: null } } } },
    'main.resources.limits.memory is not set',
    'set heap.enabled=false',
  ],
  [
    'a limit that leaves n8n too little',
    { main: { resources: { requests: { memory: '256Mi' }, limits: { memory: '768Mi' } } } },
    'main.resources.limits.memory of 768 MiB',
    'raise main.resources.limits.memory to 1005Mi',
  ],
  [
    'a limit that leaves a worker too little',
    queue({ worker: { resources: { requests: { memory: '256Mi' }, limits: { memory: '768Mi' } } } }),
    'worker.resources.limits.memory of 768 MiB',
    'raise worker.resources.limits.memory to 1065Mi',
  ],
  [
    'a limit that leaves a webhook processor too little',
    queue({ webhook: { resources: { requests: { memory: '256Mi' }, limits: { memory: '512Mi' } } } }),
    'webhook.resources.limits.memory of 512 MiB',
    'raise webhook.resources.limits.memory to 704Mi',
  ],
  [
    'a heap under which n8n 2 does not start',
    { main: { heap: { n8n: 256 } } },
    'main.heap.n8n=256: n8n 2.41.1 does not start',
    'Set 320 or more',
  ],
  [
    'a heap under which n8n 0.221.2 does not start',
    { ...own(1, '1Gi'), main: { heap: { n8n: 64 } } },
    'main.heap.n8n=64: n8n 0.221.2 does not start',
    'Set 96 or more',
  ],
  [
    'a heap under which the task runner does not start',
    queue({ worker: { heap: { runner: 32 } } }),
    'worker.heap.runner=32',
    'Set 64 or more',
  ],
  [
    'a heap that leaves the task runner none',
    { main: { heap: { n8n: 1560 } } },
    'main.heap.n8n=1560',
    'Lower main.heap.n8n',
  ],
  [
    'a share that leaves the task runner none',
    { heap: { runnerShare: 2 } },
    'heap.runnerShare=2',
    'Raise heap.runnerShare',
  ],
  [
    'heaps that do not fit the limit',
    { main: { heap: { n8n: 1000, runner: 800 } } },
    'heap of n8n 1000 MiB + heap of its task runner 800 MiB + headroom 480 MiB = 2280 MiB',
    'Lower main.heap, or raise main.resources.limits.memory to 2280Mi',
  ],
  ['more children than fit the limit', own(8, '1Gi'), 'executions.own.children=8', 'lower executions.own.children'],
  [
    'a task runner where none runs',
    { image: { tag: '1.123.81' }, main: { heap: { runner: 256 } } },
    'main.heap.runner=256',
    'Remove it',
  ],
  [
    'a heap that is switched off',
    { heap: { enabled: false }, main: { heap: { n8n: 700 } } },
    'main.heap is given, but heap.enabled=false',
    'Remove one',
  ],
  [
    'a request over its limit',
    queue({ redis: { resources: { requests: { memory: '1Gi' } } } }),
    'redis.resources.requests.memory (1024 MiB)',
    'Lower the request',
  ],
  [
    'a grace period that cuts executions off',
    { gracefulShutdown: { terminationGracePeriodSeconds: 35 } },
    'gracefulShutdown.terminationGracePeriodSeconds=35',
    'Set it to 40 or more',
  ],
  [
    'a grace period under the fixed 30 s of old versions',
    {
      image: { tag: '0.221.2' },
      gracefulShutdown: { timeoutSeconds: 5, terminationGracePeriodSeconds: 20 },
    },
    'gracefulShutdown.terminationGracePeriodSeconds=20',
    'Set it to 40 or more',
  ],
  [
    'more connections than PostgreSQL has',
    queue({ worker: { replicas: 10 } }),
    '(1 main + 10 workers + 2 webhook processors + 1 more while they roll) × 20 connections (database.poolSize) = 280',
    'raise postgresql.maxConnections to 290',
  ],
  [
    'more connections than the external PostgreSQL has',
    queue({ externalPostgresql: { host: 'pg', existingSecret: 's', maxConnections: 100 } }),
    'externalPostgresql.maxConnections=100',
    'Lower database.poolSize or worker.replicas',
  ],
  [
    'a variable that the chart sets',
    { extraEnv: [{ name: 'DB_TYPE', value: 'mysqldb' }] },
    'extraEnv sets DB_TYPE',
    'Use instead: database.type',
  ],
  [
    "a variable that overrides every worker's concurrency",
    queue({ extraEnv: [{ name: 'N8N_CONCURRENCY_PRODUCTION_LIMIT', value: '5' }] }),
    'extraEnv sets N8N_CONCURRENCY_PRODUCTION_LIMIT',
    'worker.concurrency in queue mode',
  ],
  [
    'a variable that n8n does not read',
    { extraEnv: [{ name: 'DB_POSTGRESDB_SSL', value: 'true' }] },
    'extraEnv sets DB_POSTGRESDB_SSL',
    'externalPostgresql.tls.enabled',
  ],
  [
    'a file for a variable that the chart sets',
    { extraEnv: [{ name: 'DB_POSTGRESDB_PASSWORD_FILE', value: '/run/secrets/password' }] },
    'extraEnv sets DB_POSTGRESDB_PASSWORD_FILE',
    'Use instead: externalPostgresql.existingSecret',
  ],
  [
    'a variable twice',
    {
      extraEnv: [
        { name: 'MINE', value: 'a' },
        { name: 'MINE', value: 'b' },
      ],
    },
    'extraEnv sets MINE twice',
    'Remove one',
  ],
];

it.each(table)('%s', (_name, values, names, remedy) => {
  const sentences = refusals(values);
  expect(sentences).toHaveLength(1);
  expect(sentences[0]).toContain(names);
  expect(sentences[0]).toContain(remedy);
});

it('all are said at once', () => {
  const sentences = refusals({ image: { tag: 'latest' }, executions: { mode: 'queue', concurrencyLimit: 5 } });
  expect(sentences).toHaveLength(3);
});

it('every variable that the chart sets is refused in extraEnv', () => {
  const secrets = { host: 'h', existingSecret: 's', tls: { enabled: true } };
  const renders = [
    render({ image: { tag: '0.221.2' }, webhookUrl: 'https://n', executions: { process: 'own' } }),
    render({ executions: { concurrencyLimit: 5 } }),
    render(queue({ metrics: { enabled: true }, webhookUrl: 'https://n' })),
    render(queue({ externalPostgresql: secrets, externalRedis: { ...secrets, user: 'u' } })),
  ];
  const set = new Set<string>();
  for (const objects of renders) {
    for (const component of ['main', 'worker', 'webhook'] as const) {
      if (!objects.some((o) => o.metadata.name === `n8n-tuned-${component}` && o.kind === 'Deployment')) continue;
      // Where extraEnv has external hooks, the chart's give way.
      for (const { name } of container(objects, component).env) if (name !== 'EXTERNAL_HOOK_FILES') set.add(name);
    }
  }
  expect(set.size).toBeGreaterThan(35);
  const extraEnv = [...set].map((name) => ({ name, value: 'x' }));
  const refused = refusals({ extraEnv }).map((sentence) => /extraEnv sets (\w+),/.exec(sentence)?.[1]);
  expect(refused.sort()).toEqual([...set].sort());
});
