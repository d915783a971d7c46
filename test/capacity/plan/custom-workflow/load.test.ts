import { readCustom } from '../../../../capacity/src/plan/custom-workflow/load.js';
import { refuseServed } from '../../../../capacity/src/plan/custom-workflow/refusals.js';
import type { ValidateOptions } from '../../../../capacity/src/plan/options.js';
import { planFromOptions } from '../../../../capacity/src/plan/validate.js';
import { expectRefused } from '../refused.js';
import { defaults, file, hook, loadOf, node, planOf, workflow } from './workflows.js';

const served = (options: Partial<ValidateOptions> = {}) =>
  planFromOptions({ ...defaults, webhook: 'order?source=test', ...options });

test('a webhook without its workflow is one that n8n serves already', () => {
  const plan = served({ method: 'post', body: file({ a: 1 }), serviceTime: '2s' });
  expect(plan.loads).toMatchObject([
    {
      name: 'order',
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
  expectRefused(
    () => refuseServed(served()),
    ['--webhook /webhook/order?source=***', '--workflow', 'validate --provisioner existing'],
  );
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
  ['a file that is not a workflow', { nodes: [] }, {}, ['--workflow ', 'has no name, nodes or connections']],
  ['a file that holds text', '"order"', {}, ['--workflow ', 'JSON object']],
  [
    'a field of another type',
    { name: 5, nodes: [{ name: 'a' }], connections: {} },
    {},
    ['no nodes.0.type', 'its name'],
  ],
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
  ['a node with no method', workflow([hook({ httpMethod: [] })]), {}, ['Webhook', '""', 'GET, POST']],
  ['a method that is no text', workflow([hook({ httpMethod: { a: 1 } })]), {}, ['Webhook', '{"a":1}', 'GET, POST']],
  [
    'a node with a method that is computed',
    workflow([hook({ httpMethod: '={{ 1 }}' })]),
    {},
    ['={{ 1 }}', 'GET, POST'],
  ],
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

test('sub-workflows are given by file, and looked at too', () => {
  const main = workflow([hook(), node('executeWorkflow', { workflowId: { __rl: true, mode: 'list', value: 'sub' } })]);
  const sub = (other: object) => file(workflow([node('executeWorkflowTrigger'), other], { id: 'sub', name: 'Sub' }));
  const { custom } = loadOf(main, { subWorkflow: [sub(node('set'))] });
  expect(readCustom(custom!).workflows.map((w) => w.name)).toEqual(['Order, new', 'Sub']);
  expectRefused(() => planOf(main, { subWorkflow: [sub(node('emailSend'))] }), ['n8n-nodes-base.emailSend', '"Sub"']);
});
