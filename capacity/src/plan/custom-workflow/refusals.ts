import { UsageError } from '../../core/errors.js';
import type { Plan } from '../../model/plan.js';
import { sideEffects } from './side-effects.js';
import { activeNodes, type Workflow, type WorkflowNode } from '../../workflow/file.js';

const EXECUTE_WORKFLOW = 'n8n-nodes-base.executeWorkflow';

/**
 * Refuses workflows with nodes that reach outside n8n: every request would send a mail, or charge a card.
 * @throws UsageError that lists these nodes
 */
export function refuseSideEffects(workflows: Workflow[]): void {
  const found = workflows.flatMap((workflow) =>
    [...sideEffects(workflow), ...unknownSubWorkflows(workflow)].map(
      ({ node, type, why }) => `  "${node}" (${type}) of "${workflow.name}": ${why}`,
    ),
  );
  if (found.length > 0)
    throw new UsageError(
      `these nodes would reach outside n8n on every request:\n${found.join('\n')}\n` +
        'Replace or disable them, or add --allow-side-effects to run them.',
    );
}

/** Refuses workflows that start others which are not given: their executions would fail. Throws UsageError. */
export function refuseMissingSubWorkflows(workflows: Workflow[]): void {
  for (const workflow of workflows)
    for (const { node, id } of subWorkflowsOf(workflow)) {
      if (id === undefined || workflows.some((w) => w.id === id)) continue;
      throw new UsageError(
        `the node "${node}" of "${workflow.name}" starts the workflow ${id}, which is missing; add its file with --sub-workflow.`,
      );
    }
}

/** Refuses a webhook without its workflow, because a new deployment has no workflows. Throws UsageError. */
export function refuseServed({ loads }: Plan): void {
  const served = loads.find((load) => load.served)?.served;
  if (served)
    throw new UsageError(
      `--webhook ${served.path}: is not served by a new deployment; add its workflow with --workflow, or test an n8n that serves it with --provisioner existing.`,
    );
}

const unknownSubWorkflows = (workflow: Workflow) =>
  subWorkflowsOf(workflow)
    .filter(({ id }) => id === undefined)
    .map(({ node }) => ({
      node,
      type: EXECUTE_WORKFLOW,
      why: 'the workflow that it starts is not known',
    }));

interface SubWorkflow {
  /** Name of the node that starts it. */
  node: string;
  /** Its id; undefined if an expression, a file or a URL decides. */
  id: string | undefined;
}

/** The workflows that a workflow starts with Execute Workflow nodes. */
function subWorkflowsOf(workflow: Workflow): SubWorkflow[] {
  return activeNodes(workflow)
    .filter((node) => node.type === EXECUTE_WORKFLOW)
    .map((node) => ({ node: node.name, id: idOf(node) }));
}

/** The id is the parameter itself, or the value of the editor's list. */
function idOf({ parameters: { source = 'database', workflowId } }: WorkflowNode): string | undefined {
  const id = isObject(workflowId) ? workflowId.value : workflowId;
  if (source !== 'database' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  return String(id).startsWith('=') ? undefined : String(id);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
