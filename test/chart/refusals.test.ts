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
    'heap of n8n 1000 MiB + heap of its task runner 800 MiB + headroom 528 MiB = 2328 MiB',
    'Lower main.heap, or raise main.resources.limits.memory to 2328Mi',
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
