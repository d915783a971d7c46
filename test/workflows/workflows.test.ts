import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

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
const original = jsonFiles('workflows/original');
const load = (path: string): Workflow => read(path);
const everywhere = [...bundled, ...original].map(load);
const allNodes = everywhere.flatMap(({ nodes }) => nodes);
const nameOf = (path: string) => basename(path, '.json');

const isWebhook = ({ type }: Node) => type === 'n8n-nodes-base.webhook';
const isTrigger = (node: Node) => isWebhook(node) || /\.(interval|manualTrigger)$/.test(node.type);
const isNote = ({ type }: Node) => type === 'n8n-nodes-base.stickyNote';

/** Node types and versions that exist in 0.221 and in 2.41. */
const portable = [
  'n8n-nodes-base.webhook@1',
  'n8n-nodes-base.interval@1',
  'n8n-nodes-base.manualTrigger@1',
  'n8n-nodes-base.code@1',
  'n8n-nodes-base.stickyNote@1',
  'n8n-nodes-tuned.loadTarget@1',
  'n8n-nodes-tuned.bullQueue@1',
];
const credentialsOf: Record<string, object> = {
  'n8n-nodes-base.webhook': { httpHeaderAuth: { id: '2000000000000001', name: 'n8n-tuned load target' } },
  'n8n-nodes-tuned.bullQueue': { bullQueueApi: { id: '2000000000000002', name: 'n8n-tuned queue' } },
};
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('the set is the one that is documented', () => {
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
  });
  const table = readFileSync(join(root, 'workflows/README.md'), 'utf8');
  for (const path of bundled) expect(table).toContain(`(${basename(path)})`);
});

describe.each([...bundled, ...original])('%s', (path) => {
  const workflow = load(path);

  test('is portable: inactive, with ids that every n8n accepts, without data of the n8n it was made in', () => {
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
    const to = others.map((node) => [{ node, type: 'main', index: 0 }]);
    expect(workflow.connections).toEqual(Object.fromEntries(triggers.map((name) => [name, { main: to }])));
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

  test('uses only node types that every n8n from 0.221 to 2.41 has', () => {
    for (const { type, typeVersion } of workflow.nodes) expect(portable).toContain(`${type}@${typeVersion}`);
  });

  test('has one note with its purpose, its cost and its bounds', () => {
    const notes = workflow.nodes.filter(isNote).map(({ parameters }) => parameters.content);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(new RegExp(`^## ${nameOf(path)}\n`));
    expect(notes[0]).toContain('**Costs**');
    expect(notes[0]).toContain('**Bounded**');
  });

  test('asks for the header, and refers to its credentials without any of their values', () => {
    for (const { parameters } of workflow.nodes.filter(isWebhook)) {
      expect(parameters).toMatchObject({ authentication: 'headerAuth', path: nameOf(path) });
    }
    for (const { type, credentials } of workflow.nodes) expect(credentials).toEqual(credentialsOf[type]);
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

  test.each(Object.keys(catalogue))('%s: path, method and query with its default are the workflow’s', (name) => {
    const { path, method, query } = catalogue[name];
    expect(path).toBe(`/webhook/${webhookOf(name)?.parameters.path}`);
    expect(method).toBe(webhookOf(name)?.parameters.httpMethod);
    // The scripts leave texts at their defaults: the mode of transform and the URL of http-fan-out.
    const used = [...expressionsOf(name).matchAll(/\$json\.query\.(\w+) \|\| (\d+)/g)];
    expect(Object.fromEntries(used.map(([, key, value]) => [key, Number(value)]))).toEqual(
      Object.fromEntries(Object.entries<any>(query).map(([key, value]) => [key, value.default])),
    );
  });

  test.each(Object.keys(catalogue))('%s: an answer after the work takes the service time', (name) => {
    const answersAtOnce = webhookOf(name)?.parameters.responseMode === 'onReceived';
    if (answersAtOnce) expect(catalogue[name].serviceTimeSeconds).toBe(0);
    else expect(catalogue[name].serviceTimeSeconds).toEqual(catalogue[name].executionSeconds);
  });
});
