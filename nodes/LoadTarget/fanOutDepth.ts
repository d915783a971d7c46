import type { IExecuteFunctions } from 'n8n-workflow';

/** The header of each request of HTTP Fan-Out: how many fan-outs led to it, from 1. */
export const DEPTH_HEADER = 'n8n-tuned-fan-out-depth';

const WEBHOOK = 'n8n-nodes-base.webhook';

/** Modes of executions that another execution has started: a sub-workflow and an error workflow. */
const STARTED_BY_EXECUTION = ['integrated', 'error'];

/**
 * How many fan-outs led to this execution: 0 if it was not started by a request of one. Read from the input item and from
 * the Webhook nodes before this node, which output the headers of their request. n8n 0.221 does not tell which nodes
 * are before this one, so there only the input item counts.
 * @returns undefined if that is unknown: sub-workflows and error workflows do not see the headers of the execution that
 * started them
 */
export function readFanOutDepth(context: IExecuteFunctions, itemIndex: number): number | undefined {
  const webhooks = (context.getParentNodes?.(context.getNode().name) ?? []).filter(({ type }) => type === WEBHOOK);
  const items = [context.getInputData()[itemIndex], ...webhooks.map(({ name }) => firstItem(context, itemIndex, name))];
  const depth = Math.max(...items.map((item) => readDepth(item?.json)));
  return depth === 0 && STARTED_BY_EXECUTION.includes(context.getMode()) ? undefined : depth;
}

interface Item {
  json?: unknown;
}

/** The first output item of a node, or undefined if the node did not run in this execution. */
function firstItem(context: IExecuteFunctions, itemIndex: number, node: string): Item | undefined {
  const { $: output } = context.getWorkflowDataProxy(itemIndex) as { $: (node: string) => { first(): Item } };
  try {
    return output(node).first();
  } catch {
    return undefined;
  }
}

function readDepth(json: unknown): number {
  const { headers } = (json ?? {}) as { headers?: Record<string, unknown> };
  const depth = Number(headers?.[DEPTH_HEADER] ?? 0);
  return Number.isInteger(depth) && depth > 0 ? depth : 0;
}
