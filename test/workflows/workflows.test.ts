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
const isNote = ({ type }: Node) => type === 'n8n-nodes-base.stickyNote';

/** Node types and versions that exist in 0.221 and in 2.41. */
const portable = [
  'n8n-nodes-base.webhook@1',
  'n8n-nodes-base.interval@1',
  'n8n-nodes-base.stickyNote@1',
  'n8n-nodes-tuned.loadTarget@1',
];
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('the set is the one that is documented', () => {
  expect(Object.fromEntries(bundled.map((path) => [nameOf(path), load(path).id]))).toEqual({
    'webhook-ack': '1001',
    'webhook-wait': '1002',
    'webhook-ack-wait': '1003',
    'memory-hog': '1004',
    'memory-hog-interval': '1005',
    'cpu-burn': '1006',
  });
  const table = readFileSync(join(root, 'workflows/README.md'), 'utf8');
  for (const path of bundled) expect(table).toContain(`(${basename(path)})`);
});

describe.each([...bundled, ...original])('%s', (path) => {
  const workflow = load(path);

  test('is portable: imported inactive, ids that every n8n takes, nothing of the n8n it was made in', () => {
    expect(Object.keys(workflow).sort()).toEqual(['active', 'connections', 'id', 'name', 'nodes', 'settings']);
    expect(workflow.active).toBe(false);
    expect(workflow.id).toMatch(/^\d+$/);
    for (const node of workflow.nodes) {
      expect(node.id).toMatch(uuid);
      expect(node.position).toEqual([expect.any(Number), expect.any(Number)]);
    }
    for (const node of workflow.nodes.filter(isWebhook)) expect(node.webhookId).toMatch(uuid);
  });

  test('is connected: every node but the notes is on the way from the one trigger', () => {
    const names = workflow.nodes.filter((node) => !isNote(node)).map(({ name }) => name);
    const targets = Object.values(workflow.connections).flatMap(({ main }) => main.flat().map(({ node }) => node));
    expect([names[0], ...targets].sort()).toEqual([...names].sort());
    for (const source of Object.keys(workflow.connections)) expect(names).toContain(source);
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

  test('has one note that says what it is for, what it costs and how it is bounded', () => {
    const notes = workflow.nodes.filter(isNote).map(({ parameters }) => parameters.content);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(new RegExp(`^## ${nameOf(path)}\n`));
    expect(notes[0]).toContain('**Costs**');
    expect(notes[0]).toContain('**Bounded**');
  });

  test('asks for the header, with a reference to the credential and none of its values', () => {
    for (const node of workflow.nodes.filter(isWebhook)) {
      expect(node.parameters).toMatchObject({ authentication: 'headerAuth', path: nameOf(path) });
      expect(node.credentials).toEqual({
        httpHeaderAuth: { id: '2000000000000001', name: 'n8n-tuned load target' },
      });
    }
    for (const node of workflow.nodes.filter((each) => !isWebhook(each))) expect(node.credentials).toBeUndefined();
  });
});

describe('the catalogue of the k6 scripts', () => {
  const catalogue: Record<string, any> = read('loadtests/workloads.json');
  const webhookOf = (name: string) => load(`workflows/${name}.json`).nodes.find(isWebhook);
  const target = (name: string) =>
    load(`workflows/${name}.json`).nodes.find(({ type }) => type === 'n8n-nodes-tuned.loadTarget')?.parameters;

  test('has every workflow that a webhook starts, and no other', () => {
    const called = bundled.filter((path) => load(path).nodes.some(isWebhook)).map(nameOf);
    expect(Object.keys(catalogue).sort()).toEqual(called.sort());
  });

  test.each(Object.keys(catalogue))('%s: path, method and query with its default are the workflow’s', (name) => {
    const { path, method, query } = catalogue[name];
    expect(path).toBe(`/webhook/${webhookOf(name)?.parameters.path}`);
    expect(method).toBe(webhookOf(name)?.parameters.httpMethod);
    const expressions = Object.values(target(name)).join(' ');
    const used = [...expressions.matchAll(/\$json\.query\.(\w+) \|\| (\d+)/g)];
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
