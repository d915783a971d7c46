import { EnvironmentFault } from '../../../../capacity/src/core/errors.js';
import { ApiRefused, type N8nApi } from '../../../../capacity/src/provision/existing/api.js';
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

/** An n8n that fails the creation of this kind as given; what is in it, by name, once this is called so often. */
async function leftAfter(failing: 'workflow' | 'credential', error: Error, lists = 1) {
  const there = new Map<string, string>();
  const deleted: string[] = [];
  let asked = 0;
  const create =
    (kind: string) =>
    ({ name }: { name: string }) => {
      there.set(`${kind} ${name}`, `${kind}-${there.size}`);
      return kind === failing ? Promise.reject(error) : Promise.resolve({ id: there.get(`${kind} ${name}`)!, name });
    };
  const list = (kind: string) => () => {
    asked += 1;
    const all = [...there].filter(([key]) => key.startsWith(kind) && asked > lists);
    return Promise.resolve(all.map(([key, id]) => ({ id, name: key.slice(kind.length + 1) })));
  };
  const remove = (id: string) => Promise.resolve(void deleted.push(id));
  const api = {
    ...{
      createCredential: create('credential'),
      createWorkflow: create('workflow'),
      activate: () => Promise.resolve(),
    },
    ...{
      workflows: list('workflow'),
      credentials: list('credential'),
      deleteWorkflow: remove,
      deleteCredential: remove,
    },
  } as unknown as N8nApi;
  const imported = new Imported(api, '2.41.1', new AbortController().signal, 5);
  await expect(imported.create(await loadTargets(['webhook-ack'], 'token', '2.41.1'))).rejects.toBe(error);
  await imported.remove();
  return { left: [...there.values()].filter((id) => !deleted.includes(id)), asked };
}

test('a webhook that another workflow has is said in plain words', async () => {
  const api = {
    createCredential: () => Promise.resolve({ id: 'c' }),
    createWorkflow: () => Promise.resolve({ id: 'w' }),
    activate: () => Promise.reject(new ApiRefused('HTTP 409 There is a conflict', 409)),
  } as unknown as N8nApi;
  const imported = new Imported(api, '2.41.1', new AbortController().signal, 5);
  await expect(imported.create(await loadTargets(['webhook-ack'], 'token', '2.41.1'))).rejects.toThrow(
    /^webhook-ack: an active workflow .* has its webhook already .*Deactivate it/,
  );
});

const noAnswer = new EnvironmentFault('no answer');

test.each([
  ['a workflow', 'workflow', 0],
  ['a credential', 'credential', 0],
  ['a workflow, which n8n creates later', 'workflow', 2],
] as const)('%s that was created although its request timed out is removed', async (_, kind, lists) => {
  expect(await leftAfter(kind, noAnswer, lists)).toMatchObject({ left: [] });
});

test('what n8n refuses is not looked for', async () => {
  expect((await leftAfter('workflow', new ApiRefused('no', 403))).asked).toBe(0);
});
