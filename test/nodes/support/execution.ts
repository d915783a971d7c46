import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData, WorkflowExecuteMode } from 'n8n-workflow';
import type { Ceiling } from '../../../nodes/LoadTarget/ceilings/ceiling';
import { LoadTarget } from '../../../nodes/LoadTarget/LoadTarget.node';

export interface FakeExecution {
  /** One entry for each item: its node parameters, as n8n resolves them. */
  parameters: IDataObject[];
  continueOnFail?: boolean;
  /** Undefined as in n8n-core below 1.0, which lacks the method. */
  executionId?: string;
  signal?: AbortSignal;
  helpers?: Partial<IExecuteFunctions['helpers']>;
  /** The JSON of the input items; empty by default. */
  input?: IDataObject[];
  /** The Webhook nodes before the node, by name, and the JSON of their first item; undefined if one did not run. */
  webhooks?: Record<string, IDataObject | undefined>;
  /** What started the execution; a webhook by default. */
  mode?: WorkflowExecuteMode;
}

const node: INode = {
  id: '1',
  name: 'Load Target',
  type: 'n8n-nodes-tuned.loadTarget',
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
};

/** The part of n8n's execution context that the node uses. */
function fakeContext(execution: FakeExecution) {
  const { parameters, continueOnFail = false, executionId, signal, helpers = {}, input = [], webhooks } = execution;
  const first = (name: string) => {
    if (!webhooks?.[name]) throw new Error(`Node '${name}' hasn't been executed`);
    return { json: webhooks[name] };
  };
  return {
    getInputData: () => parameters.map((_, i) => ({ json: input[i] ?? {} })),
    getWorkflowDataProxy: () => ({ $: (name: string) => ({ first: () => first(name) }) }),
    ...(webhooks && {
      getParentNodes: () => Object.keys(webhooks).map((name) => ({ name, type: 'n8n-nodes-base.webhook' })),
    }),
    getNodeParameter: (name: string, itemIndex: number) => parameters[itemIndex]?.[name],
    getNode: () => node,
    getMode: () => execution.mode ?? 'webhook',
    continueOnFail: () => continueOnFail,
    helpers,
    ...(executionId === undefined ? {} : { getExecutionId: () => executionId }),
    ...(signal === undefined ? {} : { getExecutionCancelSignal: () => signal }),
  } as unknown as IExecuteFunctions;
}

/** Runs the node; returns its output items. */
export async function run(execution: FakeExecution): Promise<INodeExecutionData[]> {
  const [items] = await new LoadTarget().execute.call(fakeContext(execution));
  return items ?? [];
}

/** Runs the node for one item and returns its JSON. */
export async function proofOf(parameters: IDataObject, helpers?: FakeExecution['helpers']): Promise<any> {
  const [item] = await run({ parameters: [parameters], helpers });
  return item?.json;
}

/** Matches the error of an item that was refused because of this parameter. */
export const refusedParameter = (parameter: string) => ({ cause: { parameter } });

/** Matches the error of an item that reached this ceiling; with `amounts`, before its work. */
export const reachedCeiling = (ceiling: Ceiling, amounts?: { requested: unknown; taken: unknown }) => ({
  cause: { ceiling, ...(amounts && { amounts }) },
});

/** Removes every limit and proxy from the environment. */
export function resetEnvironment(): void {
  for (const variable of Object.keys(process.env)) {
    if (/^N8N_LOAD_TARGET_|_proxy$/i.test(variable)) delete process.env[variable];
  }
}

// The environment of the machine may have a proxy or ceilings.
resetEnvironment();
