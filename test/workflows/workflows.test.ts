import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadTargets, loadTargetsFolder } from '../../capacity/src/provision/load-targets.js';
import { isSubWorkflow } from '../../capacity/src/provision/n8n-import.js';

/** Plain JavaScript, so it has no types. */
const { olderFiles } = await import(join(import.meta.dirname, '../../scripts/older-workflows.mjs'));

const root = join(import.meta.dirname, '../..');
const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const jsonFiles = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${folder}/${name}`);

interface Node {
  id: string;
  name: string;
  type: string;
  typeVersion: number;
  position: [number, number];
  webhookId?: string;
  parameters: any;
  credentials?: unknown;
}
interface Workflow {
  id: string;
  name: string;
  active: boolean;
  nodes: Node[];
  connections: Record<string, { main: Array<Array<{ node: string; type: string; index: number }>> }>;
  settings: object;
}

const bundled = jsonFiles('workflows');
const older = jsonFiles('workflows/before-1.113');
const original = jsonFiles('workflows/original');
const load = (path: string): Workflow => read(path);
const everywhere = [...bundled, ...original].map(load);
const allNodes = everywhere.flatMap(({ nodes }) => nodes);
const nameOf = (path: string) => basename(path, '.json');

const isWebhook = ({ type }: Node) => type === 'n8n-nodes-base.webhook';
const isTrigger = (node: Node) =>
  isWebhook(node) || /\.(interval|manualTrigger|executeWorkflowTrigger)$/.test(node.type);
const isNote = ({ type }: Node) => type === 'n8n-nodes-base.stickyNote';

/** Node types and versions that exist in every n8n from 1.113 on. */
const today = [
  'n8n-nodes-base.webhook@2.1',
  'n8n-nodes-base.interval@1',
  'n8n-nodes-base.manualTrigger@1',
  'n8n-nodes-base.executeWorkflowTrigger@1.1',
  'n8n-nodes-base.executeWorkflow@1.3',
  'n8n-nodes-base.respondToWebhook@1.5',
  'n8n-nodes-base.set@3.4',
  'n8n-nodes-base.code@2',
  'n8n-nodes-base.stickyNote@1',
  'n8n-nodes-tuned.loadTarget@1',
  'n8n-nodes-tuned.bullQueue@1',
];
const credentialsOf: Record<string, object> = {
  'n8n-nodes-base.webhook': { httpHeaderAuth: { id: '2000000000000001', name: 'n8n-tuned load target' } },
  'n8n-nodes-tuned.bullQueue': { bullQueueApi: { id: '2000000000000002', name: 'n8n-tuned queue' } },
};
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('all workflows are documented', () => {
  expect(Object.fromEntries(bundled.map((path) => [nameOf(path), load(path).id]))).toEqual({
    'webhook-ack': '1001',
    'webhook-wait': '1002',
    'webhook-ack-wait': '1003',
    'memory-hog': '1004',
    'memory-hog-interval': '1005',
    'cpu-burn': '1006',
    payload: '1007',
    transform: '1008',
    'http-fan-out': '1009',
    'event-loop-block': '1010',
    code: '1011',
    'queue-watch': '1012',
    'webhook-expression': '1013',
    'respond-node': '1014',
    'code-each-item': '1015',
    'sub-workflow': '1016',
    'sub-workflow-child': '1017',
  });
  const table = readFileSync(join(root, 'workflows/README.md'), 'utf8');
  for (const path of bundled) expect(table).toContain(`(${basename(path)})`);
});

describe.each([...bundled, ...original])('%s', (path) => {
  const workflow = load(path);

  test('is portable: inactive, with ids that every n8n accepts, without data of the original n8n', () => {
    expect(Object.keys(workflow).sort()).toEqual(['active', 'connections', 'id', 'name', 'nodes', 'settings']);
    expect(workflow.active).toBe(false);
    expect(workflow.id).toMatch(/^\d+$/);
    for (const node of workflow.nodes) {
      expect(node.id).toMatch(uuid);
      expect(node.position).toEqual([expect.any(Number), expect.any(Number)]);
    }
    for (const node of workflow.nodes.filter(isWebhook)) expect(node.webhookId).toMatch(uuid);
  });

  test('is connected: from every trigger to each node that is neither trigger nor note', () => {
    const triggers = workflow.nodes.filter(isTrigger).map(({ name }) => name);
    const others = workflow.nodes.filter((node) => !isTrigger(node) && !isNote(node)).map(({ name }) => name);
    expect(triggers.length).toBeGreaterThan(0);
    // Each trigger leads to the first of them, each of them to the next.
    const to = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });
    const [start] = others as [string];
    const from = [
      ...triggers.map((name) => [name, to(start)]),
      ...others.slice(1).map((name, i) => [others[i], to(name)]),
    ];
    expect(workflow.connections).toEqual(Object.fromEntries(from));
  });
});

test('ids, names, webhook ids and webhook paths are unique over all workflows', () => {
  const webhooks = allNodes.filter(isWebhook);
  for (const keys of [
    everywhere.map(({ id }) => id),
    everywhere.map(({ name }) => name),
    allNodes.map(({ id }) => id),
    webhooks.map(({ webhookId }) => webhookId),
    webhooks.map(({ parameters }) => parameters.path),
  ]) {
    expect(new Set(keys).size).toBe(keys.length);
  }
});

describe.each(bundled)('%s', (path) => {
  const workflow = load(path);

  test('is named after its file', () => {
    expect(workflow.name).toBe(`n8n-tuned: ${nameOf(path)}`);
  });

  test('uses only node types and versions that every n8n from 1.113 to 2.41 has', () => {
    for (const { type, typeVersion } of workflow.nodes) expect(today).toContain(`${type}@${typeVersion}`);
  });

  test('has no expression in the Webhook node, which would need an isolate for each request', () => {
    for (const { parameters } of workflow.nodes.filter(isWebhook))
      expect(JSON.stringify(parameters)).not.toContain('"=');
  });

  test('has one note with its purpose, its cost and its bounds', () => {
    const notes = workflow.nodes.filter(isNote).map(({ parameters }) => parameters.content);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(new RegExp(`^## ${nameOf(path)}\n`));
    expect(notes[0]).toContain('**Costs**');
    expect(notes[0]).toContain('**Bounded**');
  });

  test('requires the header, and refers to its credentials without their values', () => {
    for (const { parameters } of workflow.nodes.filter(isWebhook)) {
      expect(parameters).toMatchObject({ authentication: 'headerAuth', path: nameOf(path) });
    }
    for (const { type, credentials } of workflow.nodes) expect(credentials).toEqual(credentialsOf[type]);
  });
});

describe('the older form', () => {
  test('equals the output of the script for the newest form; "npm run workflows:older" writes it', async () => {
    const made = await olderFiles();
    expect(older).toEqual(bundled.map((path) => path.replace('workflows/', 'workflows/before-1.113/')));
    for (const path of older) expect(readFileSync(join(root, path), 'utf8')).toBe(made[join(root, path)]);
  });

  test.each(older)('%s uses version 1 of each node, and the same ids, paths and connections', (path) => {
    const [form, newest] = [load(path), load(path.replace('before-1.113/', ''))];
    for (const { typeVersion } of form.nodes) expect(typeVersion).toBe(1);
    expect({ ...form, nodes: [] }).toEqual({ ...newest, nodes: [] });
    const identity = ({ id, name, type, webhookId, credentials }: Node) => ({ id, name, type, webhookId, credentials });
    expect(form.nodes.map(identity)).toEqual(newest.nodes.map(identity));
    expect(form.nodes.filter(isWebhook).map((n) => n.parameters)).toEqual(
      newest.nodes.filter(isWebhook).map((n) => n.parameters),
    );
  });

  test('sets the fields that the newest one sets, each with its type', () => {
    const fields = (path: string) => load(path).nodes.find(({ type }) => type === 'n8n-nodes-base.set')!.parameters;
    const { keepOnlySet, values } = fields('workflows/before-1.113/webhook-expression.json');
    expect(keepOnlySet).toBe(true);
    const typed = Object.entries<any>(values).flatMap(([type, of]) => of.map((field: object) => ({ ...field, type })));
    const byName = (list: any[]) => Object.fromEntries(list.map(({ name, value, type }) => [name, { value, type }]));
    expect(byName(typed)).toEqual(byName(fields('workflows/webhook-expression.json').assignments.assignments));
  });

  test.each([
    ['2.41.1', 'workflows'],
    ['1.113.0', 'workflows'],
    [undefined, 'workflows'],
    ['1.112.9', 'workflows/before-1.113'],
    ['0.221.2', 'workflows/before-1.113'],
  ])('n8n %s gets %s', (version, folder) => expect(loadTargetsFolder(version)).toBe(join(root, folder)));
});

describe('sub-workflows', () => {
  const catalogue: Record<string, { subWorkflows?: string[] }> = read('loadtests/workloads.json');
  const idOf = (name: string) => load(`workflows/${name}.json`).id;
  const calledBy = (path: string) =>
    load(path)
      .nodes.filter(({ type }) => type === 'n8n-nodes-base.executeWorkflow')
      .map(({ parameters: { workflowId } }) => workflowId.value ?? workflowId);

  test.each([...bundled, ...older].filter((path) => Object.hasOwn(catalogue, nameOf(path))))(
    '%s starts the sub-workflows that the catalogue names',
    (path) => expect(calledBy(path)).toEqual((catalogue[nameOf(path)]!.subWorkflows ?? []).map(idOf)),
  );

  test.each(['0.221.2', '2.41.1'])('come before the workflow that starts them (n8n %s)', async (version) => {
    const { workflows } = await loadTargets(['webhook-ack', 'sub-workflow'], 'token', version);
    expect(workflows.map(({ id }) => id)).toEqual(['1017', '1001', '1016']);
    expect(workflows.filter(isSubWorkflow).map(({ id }) => id)).toEqual(['1017']);
  });
});

describe('the catalogue of the k6 scripts', () => {
  const catalogue: Record<string, any> = read('loadtests/workloads.json');
  const webhookOf = (name: string) => load(`workflows/${name}.json`).nodes.find(isWebhook);
  const expressionsOf = (name: string) => JSON.stringify(load(`workflows/${name}.json`).nodes);

  test('has every workflow that a webhook starts, and no other', () => {
    const called = bundled.filter((path) => load(path).nodes.some(isWebhook)).map(nameOf);
    expect(Object.keys(catalogue).sort()).toEqual(called.sort());
  });

  test.each(Object.keys(catalogue))('%s: path, method, query and defaults match the workflow', (name) => {
    const { path, method, query } = catalogue[name];
    expect(path).toBe(`/webhook/${webhookOf(name)?.parameters.path}`);
    expect(method).toBe(webhookOf(name)?.parameters.httpMethod);
    // The scripts leave texts at their defaults: the mode of transform and the URL of http-fan-out.
    const used = [...expressionsOf(name).matchAll(/\$json\.query\.(\w+) \|\| (\d+)/g)];
    expect(Object.fromEntries(used.map(([, key, value]) => [key, Number(value)]))).toEqual(
      Object.fromEntries(Object.entries<any>(query).map(([key, value]) => [key, value.default])),
    );
  });

  test.each(Object.keys(catalogue))('%s has a service time if it answers after the work', (name) => {
    const answersAtOnce = webhookOf(name)?.parameters.responseMode === 'onReceived';
    if (answersAtOnce) expect(catalogue[name].serviceTimeSeconds).toBe(0);
    else expect(catalogue[name].serviceTimeSeconds).toEqual(catalogue[name].executionSeconds);
  });
});
