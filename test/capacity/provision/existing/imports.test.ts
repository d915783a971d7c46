import type { N8nApi } from '../../../../capacity/src/provision/existing/api.js';
import { Imported } from '../../../../capacity/src/provision/existing/imports.js';
import { loadTargets } from '../../../../capacity/src/provision/load-targets.js';

interface Created {
  name: string;
  nodes: { type: string; typeVersion: number; parameters: { workflowId?: unknown } }[];
}

/** What a run creates in an n8n of this version, which gives ids of its own; `active` as their plain names. */
async function created(version: string | undefined) {
  const workflows: Created[] = [];
  const active: string[] = [];
  const api = {
    createCredential: () => Promise.resolve({ id: 'c', name: '' }),
    createWorkflow: (workflow: Created) => Promise.resolve({ id: `new-${workflows.push(workflow)}`, name: '' }),
    activate: (id: string) => Promise.resolve(active.push(id)),
  } as unknown as N8nApi;
  const imported = new Imported(api, version, new AbortController().signal);
  await imported.create(await loadTargets(['webhook-ack', 'sub-workflow'], 'token', version));
  return { workflows, active, started: imported.started };
}

test.each([
  ['2.41.1', ['new-1', 'new-2', 'new-3'], { __rl: true, mode: 'list', value: 'new-1' }],
  [undefined, ['new-1', 'new-2', 'new-3'], { __rl: true, mode: 'list', value: 'new-1' }],
  ['1.123.81', ['new-2', 'new-3'], { __rl: true, mode: 'list', value: 'new-1' }],
  ['0.221.2', ['new-2', 'new-3'], 'new-1'],
])('n8n %s: a sub-workflow is named by its new id, and activated where it must be', async (version, isActive, id) => {
  const { workflows, active, started } = await created(version);
  expect(workflows.map(({ name }) => name.replace(/ \(.*/, ''))).toEqual([
    'n8n-capacity: sub-workflow-child',
    'n8n-capacity: webhook-ack',
    'n8n-capacity: sub-workflow',
  ]);
  expect(active).toEqual(isActive);
  // Its executions are not those of requests.
  expect(started).toEqual(['new-2', 'new-3']);
  const caller = workflows[2]!.nodes.find(({ type }) => type === 'n8n-nodes-base.executeWorkflow')!;
  expect(caller.parameters.workflowId).toEqual(typeof id === 'string' ? id : expect.objectContaining(id));
});
