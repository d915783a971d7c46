import { WEBHOOK_TYPE } from '../../workflow/node-types.js';
/**
 * Load targets made of built-in nodes, for an n8n without n8n-nodes-tuned. Their answers lack the duration of the work and
 * the process that did it, which built-in nodes do not know.
 */
type Node = Record<string, unknown> & { name: string };

const at = (name: string, type: string, typeVersion: number, parameters: object): Node => ({
  ...{ id: name, name, type: `n8n-nodes-base.${type}`, typeVersion, position: [0, 0], parameters },
});

const answer = (json: string): Node => at('Answer', 'set', 3.4, { mode: 'raw', jsonOutput: json, options: {} });

const SECONDS = "={{ Math.min(60, Number($('Webhook').first().json.query.seconds ?? 5)) }}";
const wait = at('Wait', 'wait', 1.1, { resume: 'timeInterval', amount: SECONDS, unit: 'seconds' });

const COUNT = `const n = Math.min(1e10, Number($input.first().json.query.n ?? 5000000));
let sum = 0;
for (let i = 0; i < n; i++) sum += i;
return [{ json: { operation: 'burnCpu', n, result: Number.isSafeInteger((n * (n - 1)) / 2) ? sum : n } }];`;

/** The nodes after the webhook, in order. */
const NODES: Record<string, Node[]> = {
  // No expression: each would take an isolate.
  'webhook-ack': [answer('{ "operation": "identify" }')],
  'webhook-wait': [
    wait,
    answer(`={{ { operation: "wait", ms: 1000 * Number($('Webhook').first().json.query.seconds ?? 5) } }}`),
  ],
  'webhook-ack-wait': [wait],
  'cpu-burn': [at('Count', 'code', 2, { jsCode: COUNT })],
};

export const BUILT_IN = Object.keys(NODES);

/** A load target's workflow with built-in nodes; undefined if no built-in node does the same. */
export function builtIn<T extends { nodes: Record<string, unknown>[] }>(name: string, workflow: T): T | undefined {
  const nodes = NODES[name];
  const webhook = workflow.nodes.find((node) => node.type === WEBHOOK_TYPE);
  if (!nodes || !webhook) return undefined;
  const row = [{ ...webhook, name: 'Webhook' }, ...nodes];
  const connections = Object.fromEntries(
    nodes.map((node, i) => [row[i]!.name, { main: [[{ node: node.name, type: 'main', index: 0 }]] }]),
  );
  return { ...workflow, nodes: row, connections };
}
