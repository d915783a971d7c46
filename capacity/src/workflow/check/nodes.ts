import { z } from 'zod';
import { activeNodes, type Workflow, type WorkflowNode } from '../file.js';
import type { Place } from './rule.js';

const BASE = 'n8n-nodes-base.';

/** Whether a node is of one of these types of n8n itself, named without `n8n-nodes-base.`. */
export const isOfType = ({ type }: WorkflowNode, ...types: string[]): boolean =>
  type.startsWith(BASE) && types.includes(type.slice(BASE.length));

/** The active nodes that fulfil a condition, as places. */
export const findPlaces = (
  workflow: Workflow,
  fulfils: (node: WorkflowNode) => boolean | string | undefined,
): Place[] =>
  activeNodes(workflow).flatMap((node) => {
    const what = fulfils(node);
    if (!what) return [];
    return [{ node: node.name, ...(typeof what === 'string' && { what }) }];
  });

/** The value of a node's parameter, by its path; undefined if the node has none. */
export function readParameter(node: WorkflowNode, ...path: string[]): unknown {
  let value: unknown = node.parameters;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

const mainOutputs = z.object({ main: z.array(z.array(z.object({ node: z.string() })).nullable()) });

/** The nodes that run directly after a node. */
export function successors({ nodes, connections }: Workflow, { name }: WorkflowNode): WorkflowNode[] {
  const found = mainOutputs.safeParse(connections[name]);
  const names = found.success ? found.data.main.flatMap((branch) => (branch ?? []).map(({ node }) => node)) : [];
  return nodes.filter((node) => names.includes(node.name));
}

/** The version of a node; n8n writes it into each node that it saves. */
export const versionOf = ({ typeVersion = 1 }: WorkflowNode): number => typeVersion;

/** The texts in the parameters of a node that n8n evaluates: those that begin with `=`. */
export function expressionsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('=') ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(expressionsIn);
}

/** Texts whose `{{ }}` the node itself evaluates, also without a leading `=`: HTML and SQL (getResolvables in the nodes). */
const TEMPLATE_PARAMETERS: Record<string, string> = {
  html: 'html',
  postgres: 'query',
  mySql: 'query',
  microsoftSql: 'query',
  snowflake: 'query',
  oracleDatabase: 'query',
  googleBigQuery: 'sqlQuery',
};

/** The texts of a node that are evaluated when it runs. */
export function evaluatedTexts(node: WorkflowNode): string[] {
  const name = TEMPLATE_PARAMETERS[node.type.replace(BASE, '')];
  const text = name === undefined ? undefined : readParameter(node, name);
  const isResolved = typeof text === 'string' && !text.startsWith('=') && text.includes('{{');
  return [...expressionsIn(node.parameters), ...(isResolved ? [text] : [])];
}

/** Whether n8n starts the workflow at this node when a request comes. */
export const isRequestTrigger = (node: WorkflowNode): boolean =>
  isOfType(node, 'webhook', 'formTrigger') ||
  ['@n8n/n8n-nodes-langchain.chatTrigger', '@n8n/n8n-nodes-langchain.mcpTrigger'].includes(node.type) ||
  (node.webhookId !== undefined && /trigger$/i.test(node.type));
