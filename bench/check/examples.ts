import type { Workflow, WorkflowNode } from '../../capacity/src/workflow/file.js';

/** Names of two workflows that do the same, one with a choice and one without it. */
export interface Example {
  /** Id of the rule in capacity/src/workflow/check/rules.ts. */
  rule: string;
  before: string;
  after: string;
}

export type Chain = Pick<Workflow, 'nodes' | 'connections'>;
type Parameters = WorkflowNode['parameters'];

export const node = (name: string, type: string, typeVersion: number, parameters: Parameters = {}): WorkflowNode => ({
  id: `check-${name.toLowerCase().replaceAll(' ', '-')}`,
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [0, 0],
  parameters,
});

export const webhook = (typeVersion: number, parameters: Parameters = {}): WorkflowNode => ({
  ...node('Webhook', 'webhook', typeVersion, {
    httpMethod: 'GET',
    path: 'check',
    responseMode: 'lastNode',
    ...parameters,
  }),
  webhookId: '6d1c3a52-6a0b-4f0e-9d8a-3f1f6f0f7a01',
});

export const code = (jsCode: string, mode = 'runOnceForAllItems', name = 'Code') =>
  node(name, 'code', 2, { mode, jsCode });
export const noOp = (name = 'No Operation') => node(name, 'noOp', 1);

const ITEMS = 20;
const items = code(
  `return Array.from({ length: ${ITEMS} }, (_, id) => ({ json: { id } }));`,
  'runOnceForAllItems',
  'Items',
);

/** Connects the nodes one after another. */
export const chain = (...nodes: WorkflowNode[]): Chain => ({
  nodes,
  connections: Object.fromEntries(nodes.slice(1).map((to, i) => [nodes[i]!.name, { main: [[link(to)]] }])),
});

const link = ({ name }: WorkflowNode, index = 0) => ({ node: name, type: 'main', index });

const EXPRESSIONS = {
  title: '=Order {{ $json.query.order || 1234 }}',
  total: '={{ ($json.query.order || 1234) * 3 }}',
  priority: "={{ ($json.query.order || 1234) > 1000 ? 'high' : 'normal' }}",
};
const SAME_AS_CODE = `const order = $input.first().json.query.order || 1234;
return [{ json: { title: 'Order ' + order, total: order * 3, priority: order > 1000 ? 'high' : 'normal' } }];`;

const assignments = (values: Record<string, string>) =>
  Object.entries(values).map(([name, value]) => ({ id: name, name, value, type: 'string' }));

/** A loop whose body does nothing, to measure the cost of the rounds. */
const loop = node('Loop Over Items', 'splitInBatches', 3, { options: {} });
const loopWorkflow: Chain = {
  nodes: [webhook(2.1), items, loop, noOp(), noOp('Done')],
  connections: {
    Webhook: { main: [[link(items)]] },
    Items: { main: [[link(loop)]] },
    'Loop Over Items': { main: [[link(noOp('Done'))], [link(noOp())]] },
    'No Operation': { main: [[link(loop)]] },
  },
};

/** The workflow that `sub-workflow` starts. */
export const CHILD: Workflow = {
  id: 'check0child',
  name: 'check: child',
  ...chain(node('Started', 'executeWorkflowTrigger', 1), noOp()),
};
const startChild = node('Execute Workflow', 'executeWorkflow', 1.3, {
  workflowId: { __rl: true, mode: 'list', value: CHILD.id, cachedResultName: CHILD.name },
  options: {},
});

const HEADER = { responseHeaders: { entries: [{ name: 'x-order', value: "={{ 'A' + 1234 }}" }] } };
const doubled = 'return $input.all().map(({ json }) => ({ json: { id: json.id * 2 } }));';
const fields = node('Edit Fields', 'set', 3.4, {
  assignments: { assignments: assignments(EXPRESSIONS) },
  options: {},
});
const three = chain(webhook(2.1), noOp(), noOp('Second'), noOp('Third'));

/** The workflows of the examples, by their names. */
export const WORKFLOWS: Record<string, Chain & Pick<Workflow, 'settings'>> = {
  'Webhook node of version 1': chain(webhook(1), noOp()),
  'Webhook node of version 2.1': chain(webhook(2.1), noOp()),
  'expression in the Webhook node': chain(webhook(2.1, { options: HEADER }), noOp()),
  'three expressions in Edit Fields': chain(webhook(2.1), fields),
  'the same in a Code node': chain(webhook(2.1), code(SAME_AS_CODE)),
  'Code node for each of 20 items': chain(
    webhook(2.1),
    items,
    code('return { json: { id: $json.id * 2 } };', 'runOnceForEachItem'),
  ),
  'Code node for all 20 items': chain(webhook(2.1), items, code(doubled)),
  'sub-workflow with one node': chain(webhook(2.1), startChild),
  'loop over 20 items': loopWorkflow,
  '20 items without a loop': chain(webhook(2.1), items, noOp(), noOp('Done')),
  'three nodes, progress saved': { ...three, settings: { saveExecutionProgress: true } },
  'three nodes, progress not saved': three,
};

/** Each rule with the workflows that show its cost. */
export const EXAMPLES: Example[] = [
  ['webhook-version-1', 'Webhook node of version 1', 'Webhook node of version 2.1'],
  ['webhook-expression', 'expression in the Webhook node', 'Webhook node of version 2.1'],
  ['expressions', 'three expressions in Edit Fields', 'the same in a Code node'],
  ['code-each-item', 'Code node for each of 20 items', 'Code node for all 20 items'],
  ['sub-workflow', 'sub-workflow with one node', 'Webhook node of version 2.1'],
  ['loop', 'loop over 20 items', '20 items without a loop'],
  ['saves-progress', 'three nodes, progress saved', 'three nodes, progress not saved'],
].map(([rule, before, after]) => ({ rule: rule!, before: before!, after: after! }));
