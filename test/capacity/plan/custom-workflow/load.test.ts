import type { ValidateOptions } from '../../../../capacity/src/plan/options.js';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planFromOptions } from '../../../../capacity/src/plan/validate.js';
import { exposure } from '../../../../capacity/src/plan/custom-workflow/credentials-file.js';
import { refuseServed } from '../../../../capacity/src/plan/custom-workflow/refusals.js';
import { readCustom } from '../../../../capacity/src/plan/custom-workflow/load.js';
import { expectRefused } from '../refused.js';
import { isLoopback } from '../../../../capacity/src/plan/custom-workflow/side-effects.js';

const folder = mkdtempSync(join(tmpdir(), 'own-'));
let files = 0;
/** A file with that content, as JSON unless it is a text. */
const file = (content: unknown, name = `${files++}.json`) => {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return join(folder, name);
};

const node = (type: string, parameters: object = {}, more: object = {}) => ({
  name: type,
  type: type.includes('.') ? type : `n8n-nodes-base.${type}`,
  typeVersion: 1,
  position: [0, 0],
  parameters,
  ...more,
});
const hook = (parameters: object = {}, more: object = {}) =>
  node('webhook', { path: 'order', ...parameters }, { name: 'Webhook', webhookId: 'hook-id', ...more });
const workflow = (nodes: object[], more: object = {}) => ({ name: 'Order, new', nodes, connections: {}, ...more });

const defaults: ValidateOptions = { warmup: '3s', drain: '30s', timeout: '60s' };
const planOf = (content: unknown, options: Partial<ValidateOptions> = {}) =>
  planFromOptions({ ...defaults, workflow: file(content), ...options });
const loadOf = (content: unknown, options: Partial<ValidateOptions> = {}) => planOf(content, options).loads[0]!;

const served = (options: Partial<ValidateOptions> = {}) =>
  planFromOptions({ ...defaults, webhook: 'order?source=test', ...options });

test('a webhook without its workflow is one that n8n serves already', () => {
  const plan = served({ method: 'post', body: file({ a: 1 }), serviceTime: '2s' });
  expect(plan.loads).toMatchObject([
    {
      name: 'order-source-test',
      parts: [{ workload: 'webhook', weight: 1 }],
      executionSeconds: { webhook: 2 },
      served: { path: '/webhook/order?source=test', method: 'POST', allowSideEffects: false },
    },
  ]);
  expect(plan.loads[0]).not.toHaveProperty('own');
  expect(plan.scriptEnv).toMatchObject({ WEBHOOK_PATH: '/webhook/order?source=test', METHOD: 'POST' });
  expect(served().loads[0]!.served!.method).toBe('GET');
});

test('a new n8n does not serve it', () => {
  expectRefused(() => refuseServed(served()), ['--webhook /webhook/order?source=test', '--workflow']);
  expect(() => refuseServed(planOf(workflow([hook()])))).not.toThrow();
});

test.each<[Partial<ValidateOptions>, string[]]>([
  [{ credentials: 'c.json' }, ['--credentials', '--workflow']],
  [{ subWorkflow: ['s.json'] }, ['--sub-workflow', '--workflow']],
  [{ workload: ['webhook-ack'] }, ['--webhook', '--workload']],
  [{ method: 'FETCH' }, ['--method', '"FETCH"']],
])('a served webhook with %j is refused', (options, parts) => expectRefused(() => served(options), parts));

test('is the only load, named after the workflow, driven by the script for any webhook', () => {
  const plan = planOf(workflow([hook()], { id: 'abc', tags: [{ id: 1 }], pinData: { Webhook: [] } }));
  expect(plan.loads).toHaveLength(1);
  expect(plan.loads[0]).toMatchObject({
    name: 'order-new',
    parts: [{ workload: 'webhook', weight: 1 }],
    serviceSeconds: { webhook: 0 },
    executionSeconds: { webhook: 0 },
    custom: {
      id: 'abc',
      name: 'Order, new',
      path: '/webhook/order',
      method: 'GET',
      responseMode: 'onReceived',
      proof: 'status',
    },
  });
  expect(plan.scriptEnv).toEqual({ WEBHOOK_PATH: '/webhook/order', METHOD: 'GET', SERVICE_SECONDS: '0' });
  // What belongs to the n8n that it comes from is not imported.
  expect(Object.keys(readCustom(plan.loads[0]!.custom!).workflows[0]!).sort()).toEqual([
    'connections',
    'id',
    'name',
    'nodes',
  ]);
});

test('times, body, headers and status go to the script by name, their content nowhere', () => {
  const body = file({ card: 'hunter2' });
  const headers = file({ 'x-api-key': 'hunter2' });
  const options = { body, headers, expectStatus: '201', serviceTime: '2s', executionTime: '5s' };
  const plan = planOf(workflow([hook()]), options);
  expect(plan.loads[0]).toMatchObject({ serviceSeconds: { webhook: 2 }, executionSeconds: { webhook: 5 } });
  expect(plan.scriptEnv).toMatchObject({
    BODY_FILE: body,
    HEADERS_FILE: headers,
    EXPECT_STATUS: '201',
    SERVICE_SECONDS: '2',
  });
  expect(JSON.stringify(plan)).not.toContain('hunter2');
});

test.each([
  ['the id in the file', { id: 'V1StGXR8_Z5jdHi6' }, /^V1StGXR8_Z5jdHi6$/],
  ['one that cannot collide without it', {}, /^[0-9a-f]{16}$/],
  ['one that cannot collide when n8n would not take it', { id: '--all' }, /^[0-9a-f]{16}$/],
])('has %s, and the same when it is read again', (_, more, id) => {
  const { custom } = loadOf(workflow([hook()], more));
  expect(custom!.id).toMatch(id);
  expect(readCustom(custom!).workflows[0]!.id).toBe(custom!.id);
});

test.each<[string, object[], Partial<ValidateOptions>, string, string]>([
  ['the only one', [hook({ httpMethod: 'POST' })], {}, 'POST', '/webhook/order'],
  ['behind a slash', [hook({ path: '/order/' })], {}, 'GET', '/webhook/order'],
  ['without a path', [hook({ path: '' })], {}, 'GET', '/webhook/hook-id'],
  ['without an id', [hook({}, { webhookId: undefined, name: 'My Hook' })], {}, 'GET', '/webhook/w1/my%20hook/order'],
  ['the one that is named', [hook(), hook({ path: 'other' })], { webhook: '/webhook/other' }, 'GET', '/webhook/other'],
  ['named without the prefix, with a query', [hook()], { webhook: 'order?a=1' }, 'GET', '/webhook/order?a=1'],
  ['with parameters', [hook({ path: 'user/:id' })], { webhook: 'hook-id/user/5' }, 'GET', '/webhook/hook-id/user/5'],
  ['the one of that method', [hook(), hook({ httpMethod: 'POST' })], { method: 'post' }, 'POST', '/webhook/order'],
  ['of several methods the first', [hook({ httpMethod: ['PUT', 'POST'] })], {}, 'PUT', '/webhook/order'],
  ['not a disabled one', [hook({ path: 'old' }, { disabled: true }), hook()], {}, 'GET', '/webhook/order'],
])('the webhook: %s', (_, nodes, options, method, path) => {
  expect(loadOf(workflow(nodes, { id: 'w1' }), options).custom).toMatchObject({ method, path });
});

test.each<[string, unknown, Partial<ValidateOptions>, string[]]>([
  ['a file that is not JSON', '{', {}, ['--workflow ', '.json', 'JSON']],
  ['a file that is not a workflow', { nodes: [] }, {}, ['--workflow ', 'name: ']],
  ['several workflows', [workflow([hook()]), workflow([hook()])], {}, ['--workflow ', '2']],
  ['no webhook', workflow([node('manualTrigger')]), {}, ['n8n-nodes-base.webhook']],
  [
    'several webhooks',
    workflow([hook(), hook({ path: 'b' })]),
    {},
    ['GET /webhook/order', 'GET /webhook/b', '--webhook /webhook/order'],
  ],
  ['another webhook', workflow([hook()]), { webhook: 'b' }, [' b', 'GET /webhook/order']],
  ['another method', workflow([hook()]), { method: 'POST' }, ['POST', 'GET /webhook/order']],
  ['an unknown method', workflow([hook()]), { method: 'FETCH' }, ['--method', '"FETCH"', 'POST']],
  ['parameters without values', workflow([hook({ path: ':id' })]), {}, [':id', '--webhook']],
  ['a status', workflow([hook()]), { expectStatus: '42' }, ['--expect-status', '"42"', '200 to 599']],
  ['a missing body', workflow([hook()]), { body: '/nowhere' }, ['--body /nowhere']],
  ['a body that is not JSON', workflow([hook()]), { body: file('{', 'body.json') }, ['--body ', 'body.json']],
  ['headers that are a list', workflow([hook()]), { headers: file([]) }, ['--headers ', '.json']],
  ['a time', workflow([hook()]), { serviceTime: '2h' }, ['--service-time', '"2h"', '0s to 10m']],
  ['a workload as well', workflow([hook()]), { workload: ['webhook-ack'] }, ['--workflow', '--workload']],
  [
    'a missing credential',
    workflow([hook({}, { credentials: { httpHeaderAuth: { id: '7', name: 'Key' } } })]),
    {},
    ['"Key"', 'httpHeaderAuth', '--credentials'],
  ],
  [
    'a missing sub-workflow',
    workflow([hook(), node('executeWorkflow', { workflowId: 'sub' })]),
    {},
    ['"executeWorkflow"', ' sub', '--sub-workflow'],
  ],
])('refused: %s', (_, content, options, parts) => expectRefused(() => planOf(content, options), parts));

test('flags of a custom workflow need one', () => {
  expectRefused(() => planFromOptions({ ...defaults, body: 'x' }), ['--body', '--workflow']);
  expectRefused(() => planFromOptions({ ...defaults, expectStatus: '201' }), ['--expect-status', '--workflow']);
});

const request = (url: string, options = {}) => node('httpRequest', { url, options });
test.each<[string, object, boolean]>([
  ['mail', node('emailSend'), true],
  ['a database', node('postgres'), true],
  ['payments', node('stripe'), true],
  ['a file', node('readWriteFile'), true],
  ['a schedule of its own', node('scheduleTrigger'), true],
  ['what nobody knows', node('n8n-nodes-acme.anything'), true],
  ['a model', node('@n8n/n8n-nodes-langchain.agent'), true],
  ['a request', request('https://example.org'), true],
  ['a request to an expression', request('={{ $json.url }}'), true],
  ['a request to a name that may be anything', request('http://localhost:5678/'), true],
  ['a request to the machine itself', request('http://127.0.0.1:5678/healthz'), false],
  ['a request through a proxy', request('http://127.0.0.1/', { proxy: 'http://example.org' }), true],
  ['code', node('code', { jsCode: 'return $input.all()' }), false],
  ['code that sends', node('code', { jsCode: 'await this.helpers.httpRequest({})' }), true],
  ['code that loads', node('code', { jsCode: "require('net')" }), true],
  ['a wait', node('wait'), false],
  ['a disabled mail', node('emailSend', {}, { disabled: true }), false],
  ['an unknown sub-workflow', node('executeWorkflow', { workflowId: '={{ $json.id }}' }), true],
  [
    'a sub-workflow from elsewhere',
    node('executeWorkflow', { source: 'url', workflowUrl: 'https://example.org' }),
    true,
  ],
])('side effects: %s', (_, other, refused) => {
  const given = workflow([hook(), other]);
  if (!refused) return expect(loadOf(given).custom).toBeDefined();
  const { name, type } = other as { name: string; type: string };
  expectRefused(() => planOf(given), [`"${name}"`, type, '"Order, new"', '--allow-side-effects']);
  expect(loadOf(given, { allowSideEffects: true }).custom).toBeDefined();
});

test('sub-workflows are given by file, and looked at too', () => {
  const main = workflow([hook(), node('executeWorkflow', { workflowId: { __rl: true, mode: 'list', value: 'sub' } })]);
  const sub = (other: object) => file(workflow([node('executeWorkflowTrigger'), other], { id: 'sub', name: 'Sub' }));
  const { custom } = loadOf(main, { subWorkflow: [sub(node('set'))] });
  expect(readCustom(custom!).workflows.map((w) => w.name)).toEqual(['Order, new', 'Sub']);
  expectRefused(() => planOf(main, { subWorkflow: [sub(node('emailSend'))] }), ['n8n-nodes-base.emailSend', '"Sub"']);
});

describe('credentials', () => {
  const uses = workflow([hook({}, { credentials: { httpHeaderAuth: { id: '7', name: 'Key' } } })]);
  const key = { id: '7', name: 'Key', type: 'httpHeaderAuth', data: { name: 'x-api-key', value: 'hunter2' } };

  test('only those that are used are imported, and none is in the plan', () => {
    const plan = planOf(uses, { credentials: file([key, { ...key, id: '8' }]) });
    expect(readCustom(plan.loads[0]!.custom!).credentials).toEqual([key]);
    expect(JSON.stringify(plan)).not.toContain('hunter2');
  });

  test.each([
    ['encrypted', [{ ...key, data: 'U2FsdGVkX1hunter2' }], ['0.data', '--decrypted']],
    ['not a list', key, ['--decrypted']],
    ['not JSON', 'hunter2', ['JSON']],
  ])('refused when %s, without showing a value', (_, content, parts) => {
    const read = () => planOf(uses, { credentials: file(content) });
    expectRefused(read, ['--credentials ', ...parts]);
    expect(read).not.toThrow(/hunter2/);
  });

  test('a file that others can read is pointed out', () => {
    const open = file([]);
    chmodSync(open, 0o644);
    expect(exposure(open)).toContain('644');
    chmodSync(open, 0o600);
    expect(exposure(open)).toBeUndefined();
  });
});

test.each([
  ['http://127.0.0.1:5678/', true],
  ['http://127.9.9.9', true],
  ['http://[::1]:80/x', true],
  ['http://localhost/', false],
  ['http://127.0.0.1.example.org/', false],
  ['http://user@example.org/127.0.0.1', false],
  ['=http://127.0.0.1/{{ 1 }}', false],
  ['127.0.0.1', false],
])('%s is the machine itself: %p', (url, is) => expect(isLoopback(url)).toBe(is));
