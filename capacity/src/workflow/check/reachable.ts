import { z } from 'zod';
import type { Workflow, WorkflowNode } from '../file.js';
import { isOfType } from './nodes.js';

/** The nodes to which each output leads, by type of connection. */
const outputs = z.record(z.string(), z.array(z.array(z.object({ node: z.string() })).nullable()));

/**
 * The workflow without the nodes that no production execution reaches: those only after a Manual Trigger, and those to which
 * nothing leads. A workflow whose only trigger is a Manual Trigger is not changed.
 */
export function withoutUnreachableNodes(workflow: Workflow): Workflow {
  const starts = workflow.nodes.filter((node) => node.disabled !== true && isProductionTrigger(node));
  if (starts.length === 0) return workflow;
  const links = collectLinks(workflow);
  const reached = new Set(starts.map(({ name }) => name));
  // The set grows while the loop iterates over it.
  for (const name of reached) for (const next of links.get(name) ?? []) reached.add(next);
  return { ...workflow, nodes: workflow.nodes.filter(({ name }) => reached.has(name)) };
}

const isProductionTrigger = (node: WorkflowNode): boolean =>
  !isOfType(node, 'manualTrigger') &&
  (/trigger$/i.test(node.type) || isOfType(node, 'webhook', 'cron', 'interval', 'emailReadImap', 'start'));

/** The nodes to which each node leads, by name: those that run after it, and those that it uses, such as an agent's model and tools. */
function collectLinks({ connections }: Workflow): Map<string, string[]> {
  const links = new Map<string, string[]>();
  const add = (from: string, to: string) => links.set(from, [...(links.get(from) ?? []), to]);
  for (const [source, content] of Object.entries(connections)) {
    const found = outputs.safeParse(content);
    if (!found.success) continue;
    for (const [type, branches] of Object.entries(found.data))
      for (const { node } of branches.flatMap((branch) => branch ?? []))
        if (type.startsWith('ai_')) add(node, source);
        else add(source, node);
  }
  return links;
}
