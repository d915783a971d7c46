import { redacted, redactedPlan, withoutSecrets } from '../../../capacity/src/plan/redact.js';
import { plan } from '../support/index.js';

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
  ['metrics.enabled=true,extraEnv[0].name=API_TOKEN,extraEnv[0].value=hunter2', 'metrics.enabled=<not recorded>'],
])('%s', (assignment, recorded) => expect(redacted(assignment)).toBe(recorded));

test('a plan is recorded without them', () => {
  const given = plan({ values: { files: ['a.yaml'], set: ['worker.replicas=2', 'extraEnv[0].value=hunter2'] } });
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
  expect(redactedPlan(plan({ values })).values).toEqual({
    ...values,
    setString: ['worker.replicas=2', 'loadTest.env.A=<not recorded>'],
    setJson: ['worker.replicas=2', 'extraEnv=<not recorded>', '<not recorded>'],
  });
  const foreign = redactedPlan(plan({ values, foreign: { chart: 'some/chart' } }));
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
  const [load] = plan().loads;
  const given = plan({
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
