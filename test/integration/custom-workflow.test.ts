import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { reasonCodes, expectPass, LENIENT, profile, runValidate, SHORT } from './cli.js';

jest.setTimeout(600_000);

const folder = mkdtempSync(join(tmpdir(), 'custom-'));
const write = (name: string, content: object) => {
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

/** A workflow in the format of n8n's editor and of n8n's own benchmark. */
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
const body = write('body.json', { price: 21 });

const key = { id: 'custom-key', name: 'Key', type: 'httpHeaderAuth', data: { name: 'x-api-key', value: 'hunter2' } };
const sub = workflow([node('Start', 'executeWorkflowTrigger', 1, {}), set], { id: 'custom-sub', name: 'Sub' });
const call = node('Call', 'executeWorkflow', 1.1, { workflowId: { __rl: true, mode: 'id', value: 'custom-sub' } });

test('validate imports, drives and counts a workflow with a credential, a sub-workflow and a response node', async () => {
  const file = write('order.json', workflow([securedWebhook(), call, respond], { id: 'custom-order' }));
  const run = await runValidate(
    ...['--workflow', file, '--sub-workflow', write('sub.json', sub), '--expect-status', '201', '--body', body],
    ...['--credentials', write('credentials.json', [key])],
    ...['--headers', write('headers.json', { 'x-api-key': 'hunter2' })],
    ...['--rates', '2/s', ...SHORT, ...LENIENT],
  );
  expectPass(run);
  const [step] = run.steps;
  expect(step!.summary).toMatchObject({ failed: 0, dropped: 0 });
  expect(step!.executions!.accepted).toBeGreaterThanOrEqual(20);
  expect(step!.executions).toMatchObject({ completed: step!.executions!.accepted, failed: 0 });
  expect(run.run.plan.loads[0]).toMatchObject({
    name: 'order',
    custom: { path: expect.any(String), proof: 'status' },
  });
  for (const name of ['run.json', 'steps.ndjson', 'report.html', 'logs/import.log'])
    expect(readFileSync(join(run.folder, name), 'utf8')).not.toContain('hunter2');
});

const open = node('Webhook', 'webhook', 2, {
  httpMethod: 'POST',
  path: 'order',
  responseMode: 'lastNode',
  options: {},
});
const fail = node('Fail', 'stopAndError', 1, { errorMessage: 'broken' });

/** Drives a workflow that starts another one without waiting. Its answer succeeds even if the other one fails. */
function driveAsynchronous(child: { name: string }[], errors: string, ...more: string[]) {
  const started = workflow([node('Start', 'executeWorkflowTrigger', 1, {}), ...child], {
    id: 'custom-sub',
    name: 'Sub',
  });
  const start = node('Call', 'executeWorkflow', 1.1, { ...call.parameters, options: { waitForSubWorkflow: false } });
  return runValidate(
    ...['--workflow', write('asynchronous.json', workflow([open, start, set], { id: 'custom-order' })), '--body', body],
    ...[
      '--sub-workflow',
      write('child.json', started),
      '--rates',
      '2/s',
      ...SHORT,
      '--slo',
      `p50=20s,errors=${errors}`,
      ...more,
    ],
  );
}

test('an asynchronous sub-workflow is counted, in queue mode on the worker that runs it', async () => {
  const run = await driveAsynchronous([set], '20%', ...profile('queue'));
  expectPass(run);
  const { asynchronous: counted, accepted } = run.steps[0]!.executions!;
  expect(counted).toEqual({ started: accepted, completed: accepted, failed: 0 });
});

test('the verdict is FAIL if an asynchronous sub-workflow fails', async () => {
  const { exitCode, steps, conclusion } = await driveAsynchronous([fail], '1%');
  expect(steps[0]!.executions!.asynchronous!.failed).toBe(steps[0]!.executions!.accepted);
  expect(steps[0]!.summary.failed).toBe(0);
  expect([exitCode, ...reasonCodes(conclusion.verdict)]).toEqual([1, 'errors']);
});

/** A webhook that requires a header. It has no id, so n8n generates its address. */
function securedWebhook() {
  const parameters = {
    httpMethod: 'POST',
    path: 'order',
    responseMode: 'responseNode',
    authentication: 'headerAuth',
    options: {},
  };
  return node('Webhook', 'webhook', 2, parameters, { credentials: { httpHeaderAuth: key } });
}
