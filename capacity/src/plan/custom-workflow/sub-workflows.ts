import { activeNodes, type Workflow, type WorkflowNode } from './workflow-file.js';

const TYPE = 'n8n-nodes-base.executeWorkflow';

/** A workflow that a node starts. */
export interface SubWorkflow {
  node: string;
  /** Its id; undefined where only the execution tells, or where it comes from a file or a URL. */
  id: string | undefined;
}

/** The workflows that a workflow starts with Execute Workflow nodes. */
export function subWorkflowsOf(workflow: Workflow): SubWorkflow[] {
  return activeNodes(workflow)
    .filter((node) => node.type === TYPE)
    .map((node) => ({ node: node.name, id: idOf(node) }));
}

/** The id stands in the parameter itself, or in what the editor's list writes. */
function idOf({ parameters: { source = 'database', workflowId } }: WorkflowNode): string | undefined {
  const id = isObject(workflowId) ? workflowId.value : workflowId;
  if (source !== 'database' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  return String(id).startsWith('=') ? undefined : String(id);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
