import { whereOf } from '../../../capacity/src/provision/choose.js';
import { builtIn } from '../../../capacity/src/provision/existing/built-in.js';
import { N8nApi, type ListedWorkflow } from '../../../capacity/src/provision/existing/api.js';
import { findServed } from '../../../capacity/src/provision/existing/served.js';
import { versionInPage } from '../../../capacity/src/provision/existing/version.js';
import { apiOf, metricsUrls, postgresAt, redisOf } from '../../../capacity/src/provision/existing/target.js';

const env = { N8N_API_KEY: 'key' };

test.each([
  ['https://n8n.example.org/', 'https://n8n.example.org'],
  ['https://example.org/n8n/', 'https://example.org/n8n'],
  ['http://127.0.0.1:5678', 'http://127.0.0.1:5678'],
  ['http://localhost:5678', 'http://localhost:5678'],
])('--url %s', (url, base) => expect(apiOf({ url }, env).url).toBe(base));

test('plain http to another machine only when it is meant', () => {
  const url = 'http://n8n.example.org';
  expect(() => apiOf({ url }, env)).toThrow(
    /the API key would go over the network in plain text; use https, or --allow-http/,
  );
  expect(apiOf({ url, allowHttp: true }, env).url).toBe(url);
});

test.each<[string | undefined, NodeJS.ProcessEnv, RegExp]>([
  [undefined, env, /--url is missing/],
  ['n8n.example.org', env, /--url: "n8n\.example\.org" is no URL/],
  ['https://me:hunter2@n8n.example.org', env, /^--url: only a scheme, a host and a path(?!.*hunter2)/],
  ['https://n8n.example.org', {}, /N8N_API_KEY is not set/],
])('--url %s with %j is refused', (url, environment, message) =>
  expect(() => apiOf({ ...(url && { url }) }, environment)).toThrow(message),
);

test('Redis is named by a flag, or by the environment where it has a password', () => {
  expect(redisOf({}, {})).toBeUndefined();
  expect(redisOf({ redisUrl: 'redis://r' }, {})).toEqual({ host: 'r', port: 6379 });
  expect(redisOf({}, { N8N_REDIS_URL: 'redis://:p%40ss@r:7000' })).toEqual({ host: 'r', port: 7000, password: 'p@ss' });
  const inArgument = () => redisOf({ redisUrl: 'redis://:hunter2@r' }, {});
  expect(inArgument).toThrow(/put it into N8N_REDIS_URL/);
  expect(inArgument).not.toThrow(/hunter2/);
  expect(() => redisOf({ redisUrl: 'http://r' }, {})).toThrow(/--redis-url: is no address of a Redis/);
});

test('PostgreSQL likewise', () => {
  expect(postgresAt({}, {})).toBeUndefined();
  expect(postgresAt({ postgresUrl: 'postgresql://me@db/flows' }, {})).toEqual({
    ...{ host: 'db', port: 5432, user: 'me', password: '', database: 'flows' },
  });
  const secret = { N8N_POSTGRES_URL: 'postgres://n8n:p%40ss@db:6432/n8n?sslmode=require' };
  expect(postgresAt({}, secret)).toEqual({
    ...{ host: 'db', port: 6432, user: 'n8n', password: 'p@ss', database: 'n8n', ssl: true },
  });
  const inArgument = () => postgresAt({ postgresUrl: 'postgresql://me:hunter2@db/flows' }, {});
  expect(inArgument).toThrow(/^--postgres-url: a password.*put it into N8N_POSTGRES_URL/);
  expect(inArgument).not.toThrow(/hunter2/);
  expect(() => postgresAt({}, { N8N_POSTGRES_URL: 'mysql://n8n:hunter2@db' })).toThrow(
    /^N8N_POSTGRES_URL: is no address of a PostgreSQL(?!.*hunter2)/,
  );
});

describe('the workflow behind a webhook that is there already', () => {
  const webhook = (path: string, httpMethod = 'POST') => ({
    ...{ name: 'Webhook', type: 'n8n-nodes-base.webhook', webhookId: path, parameters: { path, httpMethod } },
  });
  const listed = (name: string, nodes: object[], more: object = {}): ListedWorkflow => ({
    ...{ id: name, name, nodes, connections: {}, ...more },
  });
  const mail = { name: 'Tell', type: 'n8n-nodes-base.emailSend', parameters: {} };
  const find = (workflows: ListedWorkflow[], allowSideEffects = false) => {
    const api = new N8nApi('http://localhost', 'key');
    api.activeWorkflows = () => Promise.resolve(workflows);
    return findServed(api, { path: '/webhook/order?source=test', method: 'POST', allowSideEffects });
  };

  test('is found by path and method, among those that are published', async () => {
    const others = [listed('a', [webhook('order', 'GET')]), listed('b', [webhook('orders')])];
    expect(await find([...others, listed('c', [webhook('order')])])).toEqual({ id: 'c', name: 'c', isSaved: true });
    const published = listed('d', [webhook('draft')], { activeVersion: { nodes: [webhook('order')] } });
    expect(await find([...others, published])).toMatchObject({ id: 'd' });
  });

  test('says whether its executions are kept', async () => {
    const settings = { saveDataSuccessExecution: 'none' };
    expect(await find([listed('a', [webhook('order')], { settings })])).toMatchObject({ isSaved: false });
  });

  test.each<[string, ListedWorkflow[], RegExp]>([
    ['nobody serves it', [], /^--webhook \/webhook\/order\?source=test: the key .* sees no active workflow/],
    ['two do', [listed('a', [webhook('order')]), listed('b', [webhook('order')])], /"a" and "b" serve it with POST/],
    ['it reaches outside', [listed('a', [webhook('order'), mail])], /"Tell" \(n8n-nodes-base\.emailSend\) of "a"/],
  ])('is refused when %s', async (_, workflows, message) => {
    await expect(find(workflows)).rejects.toThrow(message);
  });

  test('with leave it may reach outside, or be out of sight', async () => {
    expect(await find([listed('a', [webhook('order'), mail])], true)).toMatchObject({ id: 'a' });
    expect(await find([], true)).toBeUndefined();
  });
});

test("n8n's version in the page of its editor", () => {
  const config = Buffer.from('{"dsn":"","environment":"development","release":"n8n@2.41.1"}').toString('base64');
  expect(versionInPage(`<meta name="n8n:config:sentry" content="${config}">`)).toBe('2.41.1');
  expect(versionInPage('<meta name="n8n:config:sentry" content="e30=">')).toBeUndefined();
  expect(versionInPage('')).toBeUndefined();
});

test('metrics are at URLs', () => {
  expect(metricsUrls({ metricsUrl: ['http://a:1/metrics'] })).toEqual(['http://a:1/metrics']);
  expect(() => metricsUrls({ metricsUrl: ['a'] })).toThrow(/--metrics-url: "a" is no URL/);
});

test.each([
  [
    { provisioner: 'existng' },
    /does not exist Did you mean|does not exist.*existing.*Allowed are process, kubernetes, existing/,
  ],
  [{ url: 'https://n8n.example.org' }, /--url: only with --provisioner existing/],
  [{ provisioner: 'kubernetes', metricsUrl: ['http://a'] }, /--metrics-url: only with --provisioner existing/],
  [{ provisioner: 'existing', kubeContext: 'a' }, /--kube-context: only with --provisioner kubernetes/],
])('%j is refused', (options, message) => expect(() => whereOf(options)).toThrow(message));

test('a load target of built-in nodes keeps its webhook and its token', () => {
  const webhook = { name: 'Webhook', type: 'n8n-nodes-base.webhook', credentials: { httpHeaderAuth: { id: '1' } } };
  const workflow = { id: '1', nodes: [webhook, { name: 'Load Target', type: 'n8n-nodes-tuned.loadTarget' }] };
  const made = builtIn('webhook-ack', workflow)!;
  expect(made.nodes[0]).toEqual(webhook);
  expect(made.nodes.map((node) => String(node.type))).toEqual(['n8n-nodes-base.webhook', 'n8n-nodes-base.set']);
  expect(builtIn('memory-hog', workflow)).toBeUndefined();
});
