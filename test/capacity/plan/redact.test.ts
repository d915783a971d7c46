import { setTimeout as sleep } from 'node:timers/promises';
import { redacted, redactedPlan, withoutSecrets } from '../../../capacity/src/plan/redact.js';
import { buildPlan } from '../support/index.js';

const DIGEST = `sha256:${'0a'.repeat(32)}`;

test.each([
  ['worker.replicas=2', 'worker.replicas=2'],
  [
    'externalRedis.existingSecret=redis,externalRedis.existingSecretKey=password',
    'externalRedis.existingSecret=redis,externalRedis.existingSecretKey=password',
  ],
  ['extraEnv[0].name=A,extraEnv[0].value=hunter2', 'extraEnv[0].name=<not recorded>'],
  ['extraManifests[0].stringData.a=hunter2', 'extraManifests[0].stringData.a=<not recorded>'],
  ['loadTest.env.A=hunter2', 'loadTest.env.A=<not recorded>'],
  ['main.podAnnotations.a=hunter2', 'main.podAnnotations.a=<not recorded>'],
  ['webhookUrl=https://user:hunter2@n8n.example.org/', 'webhookUrl=<not recorded>'],
  ['webhookUrl=https://n8n.example.org/', 'webhookUrl=https://n8n.example.org/'],
  ['externalRedis.host=me:hunter2@redis:6379', 'externalRedis.host=<not recorded>'],
  [`image.repository=r.example.com:5000/n8n@${DIGEST}`, `image.repository=r.example.com:5000/n8n@${DIGEST}`],
  ['externalPostgresql.existingSecretUserKey=user', 'externalPostgresql.existingSecretUserKey=user'],
  ['a=existingSecretX=hunter2', 'a=<not recorded>'],
  ['a=b.existingSecret=hunter2', 'a=<not recorded>'],
  [String.raw`a=b\,existingSecret=hunter2`, 'a=<not recorded>'],
  ['existingSecretPassword=hunter2', 'existingSecretPassword=<not recorded>'],
  ['externalRedis.existingSecret=', 'externalRedis.existingSecret='],
  ['metrics.enabled=true,extraEnv[0].name=API_TOKEN,extraEnv[0].value=hunter2', 'metrics.enabled=<not recorded>'],
])('%s', (assignment, recorded) => expect(redacted(assignment)).toBe(recorded));

test('a plan is recorded without them', () => {
  const given = buildPlan({ values: { files: ['a.yaml'], set: ['worker.replicas=2', 'extraEnv[0].value=hunter2'] } });
  expect(redactedPlan(given)).toEqual({
    ...given,
    values: { files: ['a.yaml'], set: ['worker.replicas=2', 'extraEnv[0].value=<not recorded>'] },
  });
});

test('each kind of assignment by its own rules: a file is named, an object of JSON has no key that may be kept', () => {
  const values = {
    profile: 'queue',
    ...{ files: ['a.yaml'], set: ['worker.replicas=2'] },
    setString: ['worker.replicas=2', 'loadTest.env.A=hunter2'],
    setFile: ['externalPostgresql.ssl.ca=ca.pem', 'extraManifests[0].stringData.a=secret.txt'],
    setJson: [
      'worker.replicas=2',
      'extraEnv=[{"name":"A","value":"hunter2=1"}]',
      '{"loadTest":{"env":{"A":"hunter2=1"}}}',
    ],
  };
  expect(redactedPlan(buildPlan({ values })).values).toEqual({
    ...values,
    setString: ['worker.replicas=2', 'loadTest.env.A=<not recorded>'],
    setJson: ['worker.replicas=2', 'extraEnv=<not recorded>', '<not recorded>'],
  });
  const foreign = redactedPlan(buildPlan({ values, foreign: { chart: 'some/chart' } }));
  expect(foreign.values).toMatchObject({
    setString: ['worker.replicas=<not recorded>', 'loadTest.env.A=<not recorded>'],
    setJson: ['worker.replicas=<not recorded>', 'extraEnv=<not recorded>', '<not recorded>'],
    setFile: values.setFile,
  });
});

test.each([
  ['postgres://n8n:hunter2@db:5432/n8n', 'postgres://<not recorded>@db:5432/n8n'],
  ['/webhook/order?mb=16&token=hunter2&dry=true', '/webhook/order?mb=16&token=<not recorded>&dry=true'],
  ['/webhook/order?hunter2', '/webhook/order?<not recorded>'],
  [
    'Get "http://127.0.0.1:5678/webhook/a?sig=hunter2": EOF',
    'Get "http://127.0.0.1:5678/webhook/a?sig=<not recorded>": EOF',
  ],
  ['me:hunter2@db', '<not recorded>@db'],
  ['dial "me:hunter2@db:5432/n8n": EOF', 'dial "<not recorded>@db:5432/n8n": EOF'],
  ['host=me:hun@ter/2@db', 'host=<not recorded>@db'],
  [':hunter2@redis:6379', '<not recorded>@redis:6379'],
  [`n8n:2.41.1@${DIGEST}`, `n8n:2.41.1@${DIGEST}`],
  ...['redis:6379', 'me@example.com', 'to: me@example.com', '@acme/n8n-nodes-x@1.0.0', 'http://h:80/a@b'].map(
    (text): [string, string] => [text, text],
  ),
  ['is this a question? yes', 'is this a question? yes'],
  ['http://127.0.0.1:5678/', 'http://127.0.0.1:5678/'],
])('%s', (text, without) => expect(withoutSecrets(text)).toBe(without));

test('so are the addresses of webhooks, charts and files, and the variables of another chart', () => {
  const path = '/webhook/a?token=hunter2';
  const [load] = buildPlan().loads;
  const given = buildPlan({
    loads: [{ ...load!, served: { path, method: 'GET', allowSideEffects: true } }],
    scriptEnv: { WEBHOOK_PATH: path, METHOD: 'GET' },
    values: { files: ['https://me:hunter2@example.org/values.yaml'], set: ['image.tag=hunter2'] },
    foreign: {
      chart: 'oci://me:hunter2@example.org/n8n',
      overrides: { DB_URL: 'postgres://a:hunter2@b/', N8N_PORT: '1' },
    },
  });
  const recorded = redactedPlan(given);
  expect(JSON.stringify(recorded)).not.toContain('hunter2');
  expect(recorded).toMatchObject({ scriptEnv: { METHOD: 'GET' }, foreign: { overrides: { N8N_PORT: '1' } } });
  expect(recorded.values.files).toEqual(['https://<not recorded>@example.org/values.yaml']);
});

const TOKEN = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJodW50ZXIyIn0.${'s'.repeat(43)}`;
const KEY = ['-----BEGIN RSA PRIVATE KEY-----', 'hunter2', '-----END RSA PRIVATE KEY-----'];
const UUID = '1a2b3c4d-1111-4222-8333-444455556666';
const LONG = 'h'.repeat(40);

test.each([
  ['https://hooks.slack.com/services/T0/B0/hunter2', 'https://hooks.slack.com<not recorded>'],
  ['https://discord.com/api/webhooks/1/hunter2', 'https://discord.com/api/webhooks<not recorded>'],
  [
    'https://canary.discord.com/api/v10/webhooks/1/hunter2',
    'https://canary.discord.com/api/v10/webhooks<not recorded>',
  ],
  ['to hooks.slack.com/services/T0/B0/hunter2', 'to hooks.slack.com<not recorded>'],
  ['https://hooks.slack.com:443/services/hunter2', 'https://hooks.slack.com<not recorded>'],
  ['https://acme.webhook.office.com/webhookb2/hunter2', 'https://acme.webhook.office.com<not recorded>'],
  ['see https://hook.eu1.make.com/hunter2, please', 'see https://hook.eu1.make.com<not recorded> please'],
  [`https://api.telegram.org/bot1234567890:${'h'.repeat(35)}/x`, 'https://api.telegram.org/bot<not recorded>'],
  [`a ${KEY.join('\n')} b`, 'a -----BEGIN RSA PRIVATE KEY-----<not recorded> b'],
  [KEY.join(String.raw`\n`), '-----BEGIN RSA PRIVATE KEY-----<not recorded>'],
  [KEY.slice(0, 2).join('\n'), '-----BEGIN RSA PRIVATE KEY-----<not recorded>'],
  [`x-n8n-api-key: ${TOKEN}`, 'x-n8n-api-key: <not recorded>'],
  [`n8n_api_${'0a'.repeat(20)}`, 'n8n_api_<not recorded>'],
  ['AKIAIOSFODNN7EXAMPLE', 'AKIA<not recorded>'],
  [`ghp_${LONG}`, 'ghp_<not recorded>'],
  [`xoxb-1234-${LONG}`, 'xoxb-<not recorded>'],
  [`sk-proj-${LONG}`, 'sk-proj-<not recorded>'],
  [`AIza${'h'.repeat(35)}`, 'AIza<not recorded>'],
  ['Authorization: Bearer hunter2hunter2', 'Authorization: Bearer <not recorded>'],
  ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic <not recorded>'],
  ['{"authorization":"Basic dXNlcjpwYXNz"}', '{"authorization":"Basic <not recorded>"}'],
  ...['glrt-', 'hvs.', 'dckr_pat_', 'GOCSPX-', 'xai-', 'gsk_'].map((prefix): [string, string] => [
    `a=${prefix}${LONG}`,
    `a=${prefix}<not recorded>`,
  ]),
  [`a-${TOKEN}`, 'a-<not recorded>'],
  ['Authorization: Basic aHVudGVyMg==', 'Authorization: Basic <not recorded>'],
  [
    'DefaultEndpointsProtocol=https;AccountKey=hunter2==;x=1',
    'DefaultEndpointsProtocol=https;AccountKey=<not recorded>;x=1',
  ],
  [`/webhook/${UUID}`, '/webhook/1a2b3c4d<not recorded>'],
  [
    `http://127.0.0.1:5678/webhook-test/${UUID}/orders/5?a=1`,
    'http://127.0.0.1:5678/webhook-test/1a2b3c4d<not recorded>/orders/5?a=1',
  ],
  ['/webhook/Xy7Qk29dLm3Pz8Rt/webhook/order', '/webhook/Xy7Qk29d<not recorded>/webhook/order'],
  ...[
    '/webhook/order',
    '/webhook/order-created-for-the-customer-2026',
    'Basic authentication',
    'see webhook.site, or hooks.slack.com',
    'https://example.com/hooks',
    UUID,
  ].map((text): [string, string] => [text, text]),
])('by its form: %s', (text, without) => {
  expect(withoutSecrets(text)).toBe(without);
  expect(withoutSecrets(without)).toBe(without);
});

// With a form that looks at the same part from many places, one of these takes minutes.
describe('text of 100 kB takes no longer for its form', () => {
  // A test that does not wait cannot exceed its time.
  const hidden = async (text: string) => {
    const without = withoutSecrets(text);
    await sleep(1);
    return without;
  };
  const long = (part: string) => part.repeat(100_000 / part.length);
  test.each(
    ['a', 'eyJ-', 'eyJaaaaaaaa-', 'a:', 'a=', 'a:,', '=:', '://', 'a://', '"', '@', 'a.', '-----BEGIN ', '?a=1&'].map(
      (part) => [part, long(part)],
    ),
  )('%s', async (_, text) => expect(await hidden(text)).toBe(text), 2000);

  test.each([
    ['a path', `/webhook/${long('a')}`, `/webhook/${long('a')}`],
    ['a random path', `/webhook/${long('a1')}`, '/webhook/a1a1a1a1<not recorded>'],
    ['users', `a=${long('a:')}@b`, 'a=<not recorded>@b'],
    [
      'an address',
      `https://${long('a.')}webhook.office.com/hunter2`,
      `https://${long('a.')}webhook.office.com<not recorded>`,
    ],
    ['a user of an address', `https://${long('a')}:hunter2@b`, 'https://<not recorded>@b'],
  ])('%s', async (_, text, without) => expect(await hidden(text)).toBe(without), 2000);
});

test.each([
  ['N8N_SMTP_PASS', 'hunter2'],
  ['N8N_LICENSE_CERT', 'hunter2'],
  ['N8N_LICENSE_ACTIVATION_KEY', '123456'],
  ['CREDENTIALS_OVERWRITE_DATA', '{}'],
  ['ALERTS', 'https://hooks.slack.com/services/T0/B0/hunter2'],
  ['N8N_SENTRY_DSN', 'https://hunter2@sentry.example.org/1'],
])('--env %s=%s is not recorded', (name, value) => {
  const recorded = redactedPlan(buildPlan({ foreign: { manifests: 'n8n.yaml', overrides: { [name]: value } } }));
  expect(recorded.foreign!.overrides).toEqual({ [name]: '<not recorded>' });
});

test.each([
  ['N8N_LOG_LEVEL', 'warn'],
  ['N8N_RUNNERS_MAX_CONCURRENCY', 5],
  ['N8N_SECURE_COOKIE', 'false'],
])('--env %s=%s is recorded', (name, value) => {
  const recorded = redactedPlan(buildPlan({ foreign: { manifests: 'n8n.yaml', overrides: { [name]: value } } }));
  expect(recorded.foreign!.overrides).toEqual({ [name]: value });
});
