import { EXECUTE_WORKFLOW } from '../../workflow/node-types.js';
import { activeNodes, type Workflow, type WorkflowNode } from '../../workflow/file.js';

/** A workflow that another one starts. */
export interface Started {
  /** What starts it: the name of a node, or the setting. */
  by: string;
  /** Its id; undefined if an expression, a file or a URL decides. */
  id: string | undefined;
  /** The node does not wait for it: it may end or fail after its caller has ended. */
  isAsynchronous?: true;
}

/** The workflows that a workflow starts with Execute Workflow nodes. */
export function subWorkflowsOf(workflow: Workflow): Started[] {
  return activeNodes(workflow)
    .filter((node) => node.type === EXECUTE_WORKFLOW)
    .map((node) => ({
      by: node.name,
      id: readWorkflowId(node),
      ...(!waits(node) && { isAsynchronous: true as const }),
    }));
}

/** n8n waits unless the option is off; an expression may switch it off. */
function waits({ parameters: { options } }: WorkflowNode): boolean {
  const wait = isObject(options) ? options.waitForSubWorkflow : undefined;
  return wait === undefined || wait === true;
}

/** Ids of the asynchronous sub-workflows; that of an expression is `?`. */
export const asynchronousIn = (workflows: Workflow[]): Set<string> =>
  new Set(workflows.flatMap(subWorkflowsOf).flatMap(({ id, isAsynchronous }) => (isAsynchronous ? [id ?? '?'] : [])));

/** The error workflow, which n8n starts when an execution of this one fails; undefined if it has none. */
export function findErrorWorkflow({ settings }: Workflow): Started | undefined {
  const { errorWorkflow } = settings ?? {};
  const id = typeof errorWorkflow === 'string' || typeof errorWorkflow === 'number' ? String(errorWorkflow) : '';
  // The editor writes DEFAULT where none is chosen.
  return id === '' || id === 'DEFAULT' ? undefined : { by: 'Error Workflow', id };
}

/** The id is the parameter itself, or the value of the editor's list. */
function readWorkflowId({ parameters: { source = 'database', workflowId } }: WorkflowNode): string | undefined {
  const id = isObject(workflowId) ? workflowId.value : workflowId;
  if (source !== 'database' || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  return String(id).startsWith('=') ? undefined : String(id);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
