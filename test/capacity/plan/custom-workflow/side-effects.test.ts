import { isLoopback } from '../../../../capacity/src/plan/custom-workflow/side-effects.js';
import { expectRefused } from '../refused.js';
import { hook, loadOf, node, planOf, workflow } from './workflows.js';

const request = (url: string, options = {}) => node('httpRequest', { url, options });
test.each<[string, object, boolean]>([
  ['mail', node('emailSend'), true],
  ['a database', node('postgres'), true],
  ['payments', node('stripe'), true],
  ['a file', node('readWriteFile'), true],
  ['a schedule of its own', node('scheduleTrigger'), true],
  ['what nobody knows', node('n8n-nodes-acme.anything'), true],
  ['what each object has', { ...node('x'), type: '__proto__' }, true],
  ['a model', node('@n8n/n8n-nodes-langchain.agent'), true],
  ['a request', request('https://example.org'), true],
  ['a request to an expression', request('={{ $json.url }}'), true],
  ['a request to a name that may be anything', request('http://localhost:5678/'), true],
  ['a request to the machine itself', request('http://127.0.0.1:5678/healthz'), false],
  ['a request through a proxy', request('http://127.0.0.1/', { proxy: 'http://example.org' }), true],
  ['code', node('code', { jsCode: 'return $input.all()' }), false],
  ['code that sends', node('code', { jsCode: 'await this.helpers.httpRequest({})' }), true],
  ...[
    'await this["helpers"].httpRequest({})',
    'const { helpers: h } = this; await h.httpRequest({})',
    'await this.helpers?.["httpRequest"]({})',
    'await $helpers.httpRequest({})',
    'const h = this.helpers; return h',
    'await this["hel" + "pers"].httpRequest({})',
    'await this[`${"hel"}pers`].httpRequest({})',
    'await this["\\u0068elpers"].httpRequest({})',
    'await this.h\\u{65}lpers.httpRequest({})',
    'await this["\\x68elpers"].httpRequest({})',
    'const name = items[0].json.name; await this[name].httpRequest({})',
    'new WebSocket("wss://example.org")',
    'const { WebSocket: W } = globalThis; new W("wss://example.org")',
    'const f = fetch; await f("https://example.org")',
    '[].constructor.constructor("return 1")()',
    'eval("1")',
  ].map((jsCode): [string, object, boolean] => [`code: ${jsCode}`, node('code', { jsCode }), true]),
  ...[
    'return items.map((item) => ({ json: { fetched: item.json.prefetch } }))',
    '// fetch the rows first\nreturn this["getWorkflowStaticData"]("global")',
    'class Row { constructor(id) { this.id = id } } return [{ json: new Row(1) }]',
    'const a = {}; a["x" + 1] = `y`; return [{ json: a }]',
  ].map((jsCode): [string, object, boolean] => [`code: ${jsCode}`, node('code', { jsCode }), false]),
  ['Python that loads', node('code', { language: 'python', pythonCode: '__import__("os").system("x")' }), true],
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
