import { WEBHOOK_TYPE } from '../../workflow/node-types.js';
import { UsageError } from '../../core/errors.js';
import { activeNodes, type Workflow, type WorkflowNode } from '../../workflow/file.js';

/** The webhook of a workflow, as requests call it. */
export interface Webhook {
  /** Beneath n8n's base URL, query string included, as `/webhook/order`. */
  path: string;
  method: string;
  /** When n8n answers: `onReceived` before the work, `lastNode` after it, `responseNode` at a node of the workflow. */
  responseMode: string;
}

const PREFIX = '/webhook/';
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

/**
 * The webhook that a run calls, from the Webhook nodes of its workflow.
 * @param where flag and file, for messages
 * @param asked `--webhook` and `--method`, if given
 * @throws UsageError when the workflow has no webhook, not the one that is asked for, or several to choose from
 */
export function findWebhook(workflow: Workflow, where: string, asked: { webhook?: string; method?: string }): Webhook {
  const nodes = activeNodes(workflow).filter((node) => node.type === WEBHOOK_TYPE);
  if (nodes.length === 0)
    throw new UsageError(
      `${where}: has no Webhook node (${WEBHOOK_TYPE}); add one, because requests start the workflow.`,
    );
  const fitting = nodes.filter(
    (node) =>
      (asked.webhook === undefined || matches(buildWebhookPath(node, workflow), asked.webhook)) &&
      (asked.method === undefined || readMethods(node).includes(asked.method)),
  );
  const known = nodes.map((node) => `${readMethods(node).join('|')} ${buildWebhookPath(node, workflow)}`).join(', ');
  if (fitting.length === 0)
    throw new UsageError(
      `${where}: has no webhook ${[asked.method, asked.webhook].join(' ').trim()}; it has ${known}.`,
    );
  if (fitting.length > 1)
    throw new UsageError(
      `${where}: has several webhooks (${known}); choose one, such as --webhook ${buildWebhookPath(fitting[0]!, workflow)}.`,
    );
  return called(fitting[0]!, workflow, where, asked);
}

function called(
  node: WorkflowNode,
  workflow: Workflow,
  where: string,
  asked: { webhook?: string; method?: string },
): Webhook {
  const path = buildWebhookPath(node, workflow);
  if (asked.webhook === undefined && path.includes('/:'))
    throw new UsageError(`${where}: its webhook ${path} has parameters; write a path with their values in --webhook.`);
  const { responseMode } = node.parameters;
  const method = asked.method ?? readMethods(node)[0] ?? '';
  if (!METHODS.includes(method))
    throw new UsageError(
      `${where}: the Webhook node ${node.name} has the HTTP method "${method}"; choose one in the editor: ${METHODS.join(', ')}.`,
    );
  return {
    path: asked.webhook === undefined ? path : productionPath(asked.webhook),
    method,
    responseMode: typeof responseMode === 'string' ? responseMode : 'onReceived',
  };
}

/** The methods of a Webhook node; GET by default. A value that is not text is written as JSON, for messages. */
function readMethods({ parameters: { httpMethod = 'GET' } }: WorkflowNode): string[] {
  const methods: unknown[] = Array.isArray(httpMethod) ? httpMethod : [httpMethod];
  return methods.map((method) => (typeof method === 'string' ? method : JSON.stringify(method)));
}

/** The paths of all webhooks of a workflow's active nodes, as n8n serves them. */
export const pathsOf = (workflow: Workflow): string[] =>
  activeNodes(workflow)
    .filter((node) => node.type === WEBHOOK_TYPE)
    .map((node) => buildWebhookPath(node, workflow));

/** Whether an active node of the workflow serves that path with that method. */
export const serves = (workflow: Workflow, { path, method }: { path: string; method: string }): boolean =>
  activeNodes(workflow).some(
    (node) =>
      node.type === WEBHOOK_TYPE &&
      readMethods(node).includes(method) &&
      matches(buildWebhookPath(node, workflow), path),
  );

/**
 * The path under which n8n serves a node's webhook: the node's path, prefixed with the webhook id if it has parameters. A
 * node without a webhook id is served below the workflow's id and the node's name.
 */
function buildWebhookPath(node: WorkflowNode, workflow: Workflow): string {
  const path = typeof node.parameters.path === 'string' ? node.parameters.path.replace(/^\/+|\/+$/g, '') : '';
  if (node.webhookId === undefined)
    return `${PREFIX}${workflow.id}/${encodeURIComponent(node.name.toLowerCase())}/${path}`;
  if (path === '') return PREFIX + node.webhookId;
  return /(^|\/):/.test(path) ? `${PREFIX}${node.webhookId}/${path}` : PREFIX + path;
}

function matches(path: string, asked: string): boolean {
  const [wanted, served] = [productionPath(asked).replace(/\?.*$/, ''), path].map((p) => p.split('/'));
  return served!.length === wanted!.length && served!.every((part, i) => part === wanted![i] || part.startsWith(':'));
}

/** The path of a production webhook that is written with or without `/webhook/`, query string included. */
export const productionPath = (path: string): string =>
  path.startsWith(PREFIX) ? path : PREFIX + path.replace(/^\/+/, '');
