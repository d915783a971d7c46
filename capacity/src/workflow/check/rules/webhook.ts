import { canTakeIsolates, type Circumstances } from '../circumstances.js';
import {
  expressionsIn,
  isOfType,
  readParameter,
  findPlaces,
  successors,
  isRequestTrigger,
  versionOf,
} from '../nodes.js';
import type { Workflow, WorkflowNode } from '../../file.js';
import type { Rule } from '../rule.js';

/** The lowest version of the Webhook node whose requests n8n resolves without its expression engine. */
const WITHOUT_ISOLATE = 1.1;

/** Whether avoiding the choice saves an isolate. Without the skip, n8n takes one for every request anyway. */
const canSaveIsolate = (circumstances: Circumstances): boolean => canTakeIsolates(circumstances) && circumstances.skips;

export const webhookVersion: Rule = {
  id: 'webhook-version-1',
  title: 'Webhook node of version 1',
  cost: 'capacity',
  why: 'n8n takes an isolate of its expression engine for each request to it, which costs memory and CPU time (n8n 2.35 and later; live-webhooks.ts, webhookPhaseNeedsIsolate; docs/throughput.md).',
  change:
    'Delete the node, add a new Webhook node with the same name, method, path, authentication and options, and connect it. A new node has the newest version. If the path has a parameter (:id), its URL contains the id of the node: the URL changes.',
  isolates: true,
  applies: canSaveIsolate,
  find: (workflow) => findPlaces(workflow, (node) => isOfType(node, 'webhook') && versionOf(node) < WITHOUT_ISOLATE),
};

export const webhookExpression: Rule = {
  id: 'webhook-expression',
  title: 'Expression in a Webhook node',
  cost: 'capacity',
  why: 'One expression in its parameters is enough: n8n takes an isolate for each request (n8n 2.35 and later; nodeParametersAreStatic).',
  change: 'Write the value as fixed text, or set headers and status in a Respond to Webhook node.',
  isolates: true,
  applies: canSaveIsolate,
  find: (workflow) =>
    findPlaces(workflow, (node) => isOfType(node, 'webhook') && expressionsIn(node.parameters).length > 0),
};

export const triggerIsolate: Rule = {
  id: 'trigger-isolate',
  title: 'Trigger that takes an isolate for each request',
  cost: 'capacity',
  why: 'Only the Webhook node is resolved without the expression engine; Form, Chat, MCP and all other triggers that take requests are not (n8n 2.35 and later).',
  change: 'Start the workflow with a Webhook node where its callers allow it.',
  measuredAs: 'webhook-expression',
  isolates: true,
  applies: canSaveIsolate,
  find: (workflow) =>
    findPlaces(
      workflow,
      (node) => isRequestTrigger(node) && !isOfType(node, 'webhook') && !(isChat(node) && !isPublicChat(node)),
    ),
};

export const holdsRequest: Rule = {
  id: 'holds-request',
  title: 'Trigger that answers after the work',
  cost: 'memory',
  why: 'The request and its data stay in memory until the work is done, and count towards the limit of requests under way (overload.maxRequests).',
  change:
    'Set "Respond" of the trigger to "Immediately" where the caller needs no result, or place the Respond to Webhook node before the slow nodes.',
  find: (workflow) =>
    findPlaces(workflow, (node) => {
      const mode = responseMode(node);
      if (mode === undefined || !HOLDING_MODES.includes(mode)) return undefined;
      return mode === 'responseNode' && isAnsweredFirst(workflow, node) ? undefined : `responds by ${mode}`;
    }),
};

/** Modes in which a request is open until the work is done. */
const HOLDING_MODES = ['lastNode', 'responseNode', 'responseNodes', 'streaming'];

const isChat = ({ type }: WorkflowNode): boolean => type === '@n8n/n8n-nodes-langchain.chatTrigger';
/** Whether a Chat Trigger takes requests from outside. A chat that is not public is answered only in the editor. */
const isPublicChat = (node: WorkflowNode): boolean => isChat(node) && readParameter(node, 'public') === true;

/** The response mode of a trigger; undefined if it sets none, or takes no requests from outside. */
function responseMode(node: WorkflowNode): string | undefined {
  const mode = isPublicChat(node)
    ? (readParameter(node, 'options', 'responseMode') ?? 'lastNode')
    : isOfType(node, 'webhook', 'formTrigger') && readParameter(node, 'responseMode');
  return typeof mode === 'string' ? mode : undefined;
}

/** Whether only Respond to Webhook nodes follow directly, so that the rest of the work does not hold the request. */
function isAnsweredFirst(workflow: Workflow, node: WorkflowNode): boolean {
  const next = successors(workflow, node);
  return next.length > 0 && next.every((each) => isOfType(each, 'respondToWebhook'));
}
