import { UsageError } from '../../core/errors.js';
import { activeNodes, type Workflow, type WorkflowNode } from './workflow-file.js';

/** How a workflow is called. */
export interface Webhook {
  /** Beneath n8n's base URL, query string included, as `/webhook/order`. */
  path: string;
  method: string;
  /** When n8n answers: `onReceived` before the work, `lastNode` after it, `responseNode` where the workflow says. */
  responseMode: string;
}

const TYPE = 'n8n-nodes-base.webhook';
const PREFIX = '/webhook/';
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

/**
 * The webhook that a run drives, from the workflow's Webhook nodes.
 * @param where flag and file, for messages
 * @param asked `--webhook` and `--method`, where given
 * @throws UsageError when the workflow has none, or several and none is named, or none like that
 */
export function webhookOf(workflow: Workflow, where: string, asked: { webhook?: string; method?: string }): Webhook {
  const nodes = activeNodes(workflow).filter((node) => node.type === TYPE);
  if (nodes.length === 0)
    throw new UsageError(`${where}: has no Webhook node; a workflow is driven through one (${TYPE}).`);
  const fitting = nodes.filter(
    (node) =>
      (asked.webhook === undefined || matches(pathOf(node, workflow), asked.webhook)) &&
      (asked.method === undefined || methodsOf(node).includes(asked.method)),
  );
  const known = nodes.map((node) => `${methodsOf(node).join('|')} ${pathOf(node, workflow)}`).join(', ');
  if (fitting.length === 0)
    throw new UsageError(
      `${where}: has no webhook ${[asked.method, asked.webhook].join(' ').trim()}. It has ${known}.`,
    );
  if (fitting.length > 1)
    throw new UsageError(
      `${where}: has several webhooks (${known}); name one with --webhook, as in --webhook ${pathOf(fitting[0]!, workflow)}.`,
    );
  return called(fitting[0]!, workflow, where, asked);
}

function called(
  node: WorkflowNode,
  workflow: Workflow,
  where: string,
  asked: { webhook?: string; method?: string },
): Webhook {
  const own = pathOf(node, workflow);
  if (asked.webhook === undefined && own.includes('/:'))
    throw new UsageError(`${where}: its webhook ${own} has parameters; give a path with their values in --webhook.`);
  const { responseMode } = node.parameters;
  return {
    path: asked.webhook === undefined ? own : productionPath(asked.webhook),
    method: asked.method ?? methodsOf(node)[0]!,
    responseMode: typeof responseMode === 'string' ? responseMode : 'onReceived',
  };
}

/** A Webhook node that says none is called with GET. */
function methodsOf({ parameters: { httpMethod = 'GET' } }: WorkflowNode): string[] {
  return (Array.isArray(httpMethod) ? httpMethod : [httpMethod]).map(String);
}

/** Whether a node of the workflow serves that path with that method. */
export const serves = (workflow: Workflow, { path, method }: { path: string; method: string }): boolean =>
  activeNodes(workflow).some(
    (node) => node.type === TYPE && methodsOf(node).includes(method) && matches(pathOf(node, workflow), path),
  );

/**
 * Where n8n serves a node's webhook: at its path, behind the webhook's id when the path has parameters; without an id
 * behind those of workflow and node.
 */
function pathOf(node: WorkflowNode, workflow: Workflow): string {
  const path = typeof node.parameters.path === 'string' ? node.parameters.path.replace(/^\/+|\/+$/g, '') : '';
  if (node.webhookId === undefined)
    return `${PREFIX}${workflow.id}/${encodeURIComponent(node.name.toLowerCase())}/${path}`;
  if (path === '') return PREFIX + node.webhookId;
  return /(^|\/):/.test(path) ? `${PREFIX}${node.webhookId}/${path}` : PREFIX + path;
}

function matches(path: string, asked: string): boolean {
  const [wanted, own] = [productionPath(asked).replace(/\?.*$/, ''), path].map((p) => p.split('/'));
  return own!.length === wanted!.length && own!.every((part, i) => part === wanted![i] || part.startsWith(':'));
}

/** Where n8n serves a production webhook that is named with or without its prefix, query string included. */
export const productionPath = (path: string): string =>
  path.startsWith(PREFIX) ? path : PREFIX + path.replace(/^\/+/, '');
