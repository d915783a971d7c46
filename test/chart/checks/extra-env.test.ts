import { isSecretName } from '../../../capacity/src/chart/secret-names.js';
import { container, queue, refusals, render } from '../render.js';
import { tests } from './cases.js';

const of = (name: string, value = 'x') => ({ extraEnv: [{ name, value }] });

await tests('_extra-env.tpl', [
  ['variable-of-the-chart', 'extraEnv DB_TYPE', of('DB_TYPE'), 'Set database.type'],
  ['variable-of-the-chart', 'main.extraEnv DB_TYPE', { main: of('DB_TYPE') }, 'Set database.type'],
  ['variable-of-the-chart', 'extraEnv N8N_PORT', of('N8N_PORT'), 'Remove it', '5678'],
  [
    'variable-of-the-chart',
    'extraEnv N8N_CONCURRENCY_PRODUCTION_LIMIT',
    queue(of('N8N_CONCURRENCY_PRODUCTION_LIMIT', '5')),
    'worker.concurrency in queue mode',
  ],
  ['variable-of-the-chart', 'extraEnv N8N_EXPRESSION_ENGINE', of('N8N_EXPRESSION_ENGINE'), 'Set expressionEngine.type'],
  ['variable-of-the-chart', 'extraEnv DB_POSTGRESDB_SSL', of('DB_POSTGRESDB_SSL'), 'externalPostgresql.tls.enabled'],
  [
    'variable-of-the-chart',
    'extraEnv DB_POSTGRESDB_PASSWORD_FILE',
    of('DB_POSTGRESDB_PASSWORD_FILE', '/run/secrets/password'),
    'Set externalPostgresql.existingSecret',
  ],
  ['variable-of-the-chart', 'extraEnv N8N_ENDPOINT_WEBHOOK', of('N8N_ENDPOINT_WEBHOOK'), 'HTTPRoute'],
  ['variable-of-the-chart', 'extraEnv N8N_ENDPOINT_FORM_WAIT', of('N8N_ENDPOINT_FORM_WAIT'), 'HTTPRoute'],
  ['variable-of-the-chart', 'extraEnv N8N_ENDPOINT_MCP', of('N8N_ENDPOINT_MCP'), 'HTTPRoute'],
  ['secret-in-plain-text', 'extraEnv N8N_SMTP_PASS', of('N8N_SMTP_PASS'), 'valueFrom.secretKeyRef'],
  ['secret-in-plain-text', 'extraEnv AWS_SECRET_ACCESS_KEY', of('AWS_SECRET_ACCESS_KEY')],
  ['secret-in-plain-text', 'extraEnv AZURE_CONNECTION_STRING', of('AZURE_CONNECTION_STRING')],
  ['secret-in-plain-text', 'main.extraEnv HTTPS_PROXY', { main: of('HTTPS_PROXY', 'http://me:mine@proxy:3128') }],
  ['secret-in-plain-text', 'taskRunners.extraEnv API_KEY', { taskRunners: { mode: 'external', ...of('API_KEY') } }],
  [
    'secret-in-plain-text',
    'taskRunners.config env-overrides API_KEY',
    {
      taskRunners: {
        mode: 'external',
        config: { 'task-runners': [{ 'runner-type': 'javascript', 'env-overrides': { API_KEY: 'mine', MINE: 'x' } }] },
      },
    },
  ],
  ['variable-twice', 'extraEnv MINE', { extraEnv: [...of('MINE').extraEnv, ...of('MINE').extraEnv] }],
  ['variable-twice', 'main.extraEnv MINE', { ...of('MINE'), main: of('MINE') }],
]);

it.each([
  ['of another variable', of('N8N_SMTP_PASS', '$(PASSWORD)')],
  ['that is empty', of('N8N_SMTP_PASS', '')],
  ['of a file', of('N8N_SMTP_PASS_FILE', '/run/secrets/smtp')],
  ['of a Secret', { extraEnv: [{ name: 'N8N_SMTP_PASS', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }],
  ['that is a URL without a password', of('HTTPS_PROXY', 'http://proxy:3128/a@b')],
])('a secret may be a value %s', (_, values) => expect(render(values)).not.toEqual([]));

// n8n-capacity reads the same list (files/secret-names.yaml).
const secret = [
  ...['API_KEYS', 'TOKENS', 'N8N_PASSWORDS', 'N8N_ENCRYPTION_KEYS', 'PASSWORD_HASH', 'DB_PASS2', 'API_KEY_1'],
  ...['N8N_SENTRY_DSN', 'N8N_JWT', 'WEBHOOK_HMAC', 'SMTPPass', 'smtpPass', 'AWSSecretKey', 'CREDENTIALS'],
];
const plain = [
  ...[
    'N8N_AI_ASSISTANT_MAX_TOKENS',
    'MAX_TOKENS',
    'MAX_OUTPUT_TOKENS',
    'N8N_LIMIT_TOKENS',
    'N8N_INSTANCE_AI_OBSERVER_MESSAGE_TOKENS',
    'PUBLIC_KEYS',
  ],
  ...['N8N_GIT_NODE_ENABLE_ALL_CONFIG_KEYS', 'N8N_INSTANCE_AI_MAX_STEPS', 'COMPASS2D', 'DSN_NAME'],
];
const names = [
  ...secret,
  ...plain,
  ...[
    'N8N_SMTP_PASS',
    'N8N_LICENSE_CERT',
    'N8N_AI_ANTHROPIC_KEY',
    'PGPASSWORD',
    'DB_PWD',
    'CREDENTIALS_OVERWRITE_DATA',
  ],
  ...['openaiApiKey', 'OPENAI_APIKEY', 'TOKEN', 'GITHUB_TOKEN', 'AZURE_CONNECTION_STRING', 'SSH_PASSPHRASE', 'secret'],
  ...['PWD', 'MONKEY', 'N8N_LOG_LEVEL', 'PUBLIC_KEY', 'N8N_SSL_KEY', 'CACHE_KEY', 'BYPASS', 'SECRET_NAME'],
];
const refusedNames = (await refusals({ extraEnv: names.map((name) => ({ name, value: 'x' })) }))
  .filter(({ code }) => code === 'secret-in-plain-text')
  .map(({ value }) => value);
it.each(names)('%s is a secret for the chart where it is one for records', (name) => {
  expect(refusedNames.includes(`extraEnv ${name}`)).toBe(isSecretName(name));
});

it.each(secret)('%s is a secret', (name) => expect(isSecretName(name)).toBe(true));
it.each(plain)('%s is not the name of a secret', (name) => expect(isSecretName(name)).toBe(false));

it('refuses every variable that the chart sets', async () => {
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
      // If extraEnv sets external hooks, the chart does not set its own.
      for (const { name } of container(objects, component).env) if (name !== 'EXTERNAL_HOOK_FILES') set.add(name);
    }
  }
  expect(set.size).toBeGreaterThan(35);
  const refused = await refusals({ extraEnv: [...set].map((name) => ({ name, value: 'x' })) });
  expect(new Set(refused.map(({ value }) => value))).toEqual(new Set([...set].map((name) => `extraEnv ${name}`)));
});
