import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { LENIENT, runValidate, startValidate } from './cli.js';

jest.setTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'own-'));
const file = (name: string, content: object) => {
  writeFileSync(join(folder, name), JSON.stringify(content), { mode: 0o600 });
  return join(folder, name);
};

const node = (name: string, type: string, typeVersion: number, parameters: object, more: object = {}) => ({
  id: name,
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [0, 0],
  parameters,
  ...more,
});

const webhook = (responseMode: string, more: object = {}) =>
  node('Webhook', 'webhook', 2, { httpMethod: 'POST', path: 'order', responseMode, options: {} }, more);

/** In the shape in which n8n's editor, and n8n's own benchmark, write a workflow. */
const workflow = (nodes: { name: string }[], more: object = {}) => ({
  name: 'Order',
  active: true,
  nodes,
  connections: Object.fromEntries(
    nodes.slice(1).map((to, i) => [nodes[i]!.name, { main: [[{ node: to.name, type: 'main', index: 0 }]] }]),
  ),
  settings: { executionOrder: 'v1' },
  staticData: null,
  meta: { templateCredsSetupCompleted: true },
  pinData: {},
  versionId: '840a38a1-ba37-433d-9f20-de73f5131a2b',
  triggerCount: 1,
  tags: [{ id: 'x', name: 'production' }],
  ...more,
});

const assignment = { id: 'a', name: 'total', type: 'number', value: '={{ $json.body.price * 2 }}' };
const set = node('Total', 'set', 3.4, { assignments: { assignments: [assignment] }, options: {} });
const respond = node('Respond', 'respondToWebhook', 1.1, {
  respondWith: 'allIncomingItems',
  options: { responseCode: 201 },
});
const hookId = { webhookId: 'fa563fc2-c73f-4631-99a1-39c16f1f858f' };

const LOAD = ['--rates', '4/s', '--step-duration', '5s', '--warmup', '2s', ...LENIENT];
const body = file('body.json', { price: 21 });

const key = { id: 'own-key', name: 'Key', type: 'httpHeaderAuth', data: { name: 'x-api-key', value: 'hunter2' } };
const sub = workflow([node('Start', 'executeWorkflowTrigger', 1, {}), set], { id: 'own-sub', name: 'Sub' });
const call = node('Call', 'executeWorkflow', 1.1, { workflowId: { __rl: true, mode: 'id', value: 'own-sub' } });

test.each<[string, string[]]>([
  [
    'answered before the work, behind a credential',
    [
      '--workflow',
      file('received.json', workflow([webhook('onReceived', secured()), set])),
      ...['--credentials', file('credentials.json', [key])],
      ...['--headers', file('headers.json', { 'x-api-key': 'hunter2' })],
    ],
  ],
  [
    'answered after its last node, with a sub-workflow',
    [
      '--workflow',
      file('last.json', workflow([webhook('lastNode', hookId), call], { id: 'own-order' })),
      ...['--sub-workflow', file('sub.json', sub)],
    ],
  ],
  [
    'answered by a node',
    [
      '--workflow',
      file('node.json', workflow([webhook('responseNode', hookId), set, respond])),
      '--expect-status',
      '201',
    ],
  ],
])('%s: imported, driven, and its executions counted', async (_, args) => {
  const run = await runValidate(...args, '--body', body, ...LOAD);
  expect({ code: run.exitCode, err: run.stderr }).toEqual({ code: 0, err: expect.any(String) });
  const [step] = run.steps;
  expect(step!.summary).toMatchObject({ failed: 0, dropped: 0 });
  expect(step!.executions!.accepted).toBeGreaterThanOrEqual(20);
  expect(step!.executions).toMatchObject({ completed: step!.executions!.accepted, failed: 0 });
  expect(run.run.plan.loads[0]).toMatchObject({ name: 'order', own: { path: expect.any(String), proof: 'status' } });
  for (const name of ['run.json', 'steps.ndjson', 'report.html', 'logs/import.log'])
    expect(readFileSync(join(run.folder, name), 'utf8')).not.toContain('hunter2');
});

test('one that would send a mail for every request is refused before anything starts', async () => {
  const mail = node('Tell', 'emailSend', 2.1, {});
  const { exitCode, stdout, stderr } = await startValidate(
    ...['--workflow', file('mail.json', workflow([webhook('lastNode', hookId), set, mail]))],
  ).child;
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
  expect(stderr).toContain('"Tell" (n8n-nodes-base.emailSend) of "Order": is not known to stay inside n8n');
});

/** A webhook that asks for a header, and that n8n gives an address of its own since it has no id. */
function secured() {
  return {
    parameters: { ...webhook('onReceived').parameters, authentication: 'headerAuth' },
    credentials: { httpHeaderAuth: key },
  };
}
