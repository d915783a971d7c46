import { UsageError } from '../../../../capacity/src/core/errors.js';
import { builtIn } from '../../../../capacity/src/provision/existing/built-in.js';
import { N8nApi, type ListedWorkflow } from '../../../../capacity/src/provision/existing/api.js';
import { findServed } from '../../../../capacity/src/provision/existing/served.js';
import { versionInPage } from '../../../../capacity/src/provision/existing/version.js';
import {
  createApi,
  metricsUrls,
  postgresAt,
  readRedisAddress,
} from '../../../../capacity/src/provision/existing/target.js';

const env = { N8N_API_KEY: 'key' };

test.each([
  ['https://n8n.example.org/', 'https://n8n.example.org'],
  ['https://example.org/n8n/', 'https://example.org/n8n'],
  ['http://127.0.0.1:5678', 'http://127.0.0.1:5678'],
  ['http://localhost:5678', 'http://localhost:5678'],
])('--url %s', (url, base) => expect(createApi({ url }, env).url).toBe(base));

test('plain HTTP to a remote host only with --allow-http', () => {
  const url = 'http://n8n.example.org';
  expect(() => createApi({ url }, env)).toThrow(UsageError);
  expect(createApi({ url, allowHttp: true }, env).url).toBe(url);
});

/** Runs it, and resolves to what it throws. */
function thrown(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

/** Expects a UsageError that names the flag or variable, and shows no password. */
function expectRefusal(work: () => unknown, named: string): void {
  const error = thrown(work);
  expect(error).toBeInstanceOf(UsageError);
  expect((error as UsageError).message.startsWith(named)).toBe(true);
  expect((error as UsageError).message).not.toContain('hunter2');
}

test.each<[string | undefined, NodeJS.ProcessEnv, string]>([
  [undefined, env, '--url'],
  ['n8n.example.org', env, '--url'],
  ['https://me:hunter2@n8n.example.org', env, '--url'],
  ['me:hunter2@n8n.example.org', env, '--url'],
  ['ftp://me:hunter2@n8n.example.org', env, '--url'],
  ['https://n8n.example.org', {}, 'N8N_API_KEY'],
])('--url %s with %j is refused', (url, environment, named) =>
  expectRefusal(() => createApi({ ...(url && { url }) }, environment), named),
);

test('Redis is named by a flag, or by the environment where it has a password', () => {
  expect(readRedisAddress({}, {})).toBeUndefined();
  expect(readRedisAddress({ redisUrl: 'redis://r' }, {})).toEqual({ host: 'r', port: 6379 });
  expect(readRedisAddress({}, { N8N_REDIS_URL: 'redis://:p%40ss@r:7000' })).toEqual({
    host: 'r',
    port: 7000,
    password: 'p@ss',
  });
  const whole = { host: 'r', port: 6379, user: 'n8n', password: 'p', database: 3 };
  expect(readRedisAddress({}, { N8N_REDIS_URL: 'redis://n8n:p@r/3' })).toEqual(whole);
  expectRefusal(() => readRedisAddress({ redisUrl: 'redis://r/three' }, {}), '--redis-url');
  expectRefusal(() => readRedisAddress({ redisUrl: 'redis://:hunter2@r' }, {}), '--redis-url');
  expectRefusal(() => readRedisAddress({ redisUrl: 'http://r' }, {}), '--redis-url');
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
  expectRefusal(() => postgresAt({ postgresUrl: 'postgresql://me:hunter2@db/flows' }, {}), '--postgres-url');
  expectRefusal(() => postgresAt({}, { N8N_POSTGRES_URL: 'mysql://n8n:hunter2@db' }), 'N8N_POSTGRES_URL');
});

describe('the workflow behind a webhook that is there already', () => {
  const webhook = (path: string, httpMethod = 'POST') => ({
    ...{ name: 'Webhook', type: 'n8n-nodes-base.webhook', webhookId: path, parameters: { path, httpMethod } },
  });
  const listed = (name: string, nodes: object[], more: object = {}): ListedWorkflow => ({
    ...{ id: name, name, nodes, connections: {}, ...more },
  });
  const mail = { name: 'Tell', type: 'n8n-nodes-base.emailSend', parameters: {} };
  const find = (workflows: ListedWorkflow[], allowSideEffects = false, started: ListedWorkflow[] = []) => {
    const api = new N8nApi('http://localhost', 'key');
    api.activeWorkflows = () => Promise.resolve(workflows);
    api.workflow = (id) => Promise.resolve(started.find((workflow) => workflow.id === id));
    return findServed(api, { path: '/webhook/order?source=test', method: 'POST', allowSideEffects });
  };

  test('is found by path and method, among those that are published', async () => {
    const others = [listed('a', [webhook('order', 'GET')]), listed('b', [webhook('orders')])];
    expect(await find([...others, listed('c', [webhook('order')])])).toEqual({
      id: 'c',
      name: 'c',
      isSaved: true,
      asynchronousIds: new Set(),
    });
    const published = listed('d', [webhook('draft')], { activeVersion: { nodes: [webhook('order')] } });
    expect(await find([...others, published])).toMatchObject({ id: 'd' });
  });

  test('says whether its executions are kept', async () => {
    const settings = { saveDataSuccessExecution: 'none' };
    expect(await find([listed('a', [webhook('order')], { settings })])).toMatchObject({ isSaved: false });
  });

  test.each<[string, ListedWorkflow[], string[]]>([
    ['nobody serves it', [], ['--webhook /webhook/order?source=***', 'POST']],
    ['two do', [listed('a', [webhook('order')]), listed('b', [webhook('order')])], ['"a"', '"b"', 'POST']],
    ['it has side effects', [listed('a', [webhook('order'), mail])], ['"Tell"', 'n8n-nodes-base.emailSend', '"a"']],
  ])('is refused when %s', async (_, workflows, names) => {
    const error: unknown = await find(workflows).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(UsageError);
    for (const name of names) expect((error as UsageError).message).toContain(name);
  });

  const starts = (workflowId: unknown) => ({
    ...{ name: `Start ${String(workflowId)}`, type: 'n8n-nodes-base.executeWorkflow', parameters: { workflowId } },
  });
  const set = { name: 'Set', type: 'n8n-nodes-base.set', parameters: {} };
  const served = (...more: object[]) => [listed('a', [webhook('order'), ...more])];
  const onError = (errorWorkflow: string) => [listed('a', [webhook('order')], { settings: { errorWorkflow } })];

  test.each<[string, ListedWorkflow[], ListedWorkflow[], string[]]>([
    ['a sub-workflow', served(starts('s')), [listed('s', [mail])], ['"Tell"', '"s"']],
    [
      'one of a sub-workflow',
      served(starts('s')),
      [listed('s', [starts('t')]), listed('t', [mail])],
      ['"Tell"', '"t"'],
    ],
    ['the workflow for errors', onError('e'), [listed('e', [mail])], ['"Tell"', '"e"']],
    [
      'one that is published',
      served(starts('s')),
      [listed('s', [set], { activeVersion: { nodes: [mail] } })],
      ['"Tell"'],
    ],
    ['a sub-workflow out of sight', served(starts('s')), [], ['"Start s"', ' s ']],
    ['a workflow for errors out of sight', onError('e'), [], ['Error Workflow', ' e ']],
  ])('is refused when what it starts may reach outside: %s', async (_, workflows, started, names) => {
    const error: unknown = await find(workflows, false, started).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(UsageError);
    for (const name of [...names, '--allow-side-effects']) expect((error as UsageError).message).toContain(name);
    expect(await find(workflows, true, started)).toMatchObject({ id: 'a' });
  });

  test('may start itself, and workflows that stay inside, in a circle', async () => {
    const [first] = served(starts('s'), starts('a'));
    const circle = listed('s', [set, starts('a'), starts('s')], { settings: { errorWorkflow: 'DEFAULT' } });
    expect(await find([first!], false, [circle, first!])).toMatchObject({ id: 'a' });
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
  expectRefusal(() => metricsUrls({ metricsUrl: ['a'] }), '--metrics-url');
});

test('a load target of built-in nodes keeps its webhook and its token', () => {
  const webhook = { name: 'Webhook', type: 'n8n-nodes-base.webhook', credentials: { httpHeaderAuth: { id: '1' } } };
  const workflow = { id: '1', nodes: [webhook, { name: 'Load Target', type: 'n8n-nodes-tuned.loadTarget' }] };
  const made = builtIn('webhook-ack', workflow)!;
  expect(made.nodes[0]).toEqual(webhook);
  expect(made.nodes.map((node) => String(node.type))).toEqual(['n8n-nodes-base.webhook', 'n8n-nodes-base.set']);
  expect(builtIn('memory-hog', workflow)).toBeUndefined();
});
