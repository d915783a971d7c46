import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  IExecuteFunctions,
  INode,
  INodeExecutionData,
} from 'n8n-workflow';
import { BullQueue } from '../../../nodes/BullQueue/BullQueue.node';

export interface FakeExecution {
  /** One entry for each item: its node parameters, as n8n resolves them. */
  parameters: IDataObject[];
  /** The credential; a function if it differs by item. */
  credential: ICredentialDataDecryptedObject | ((itemIndex: number) => ICredentialDataDecryptedObject);
  /** The JSON of the input items; empty by default. */
  input?: IDataObject[];
  continueOnFail?: boolean;
  executionId?: string;
  workflowId?: string;
  /** Changed fields of the node, such as its type if it is a tool. */
  node?: Partial<INode>;
  /** n8n's answer. Undefined as in n8n 1.123, which lacks the method. */
  isToolExecution?: boolean;
  /** Receives the hints of the node. Undefined as in n8n 0.221, which has none. */
  hints?: string[];
  /** Undefined as in n8n-core below 1.0, which lacks the method. */
  signal?: AbortSignal;
}

const node: INode = {
  id: '1',
  name: 'Bull Queue',
  type: 'n8n-nodes-tuned.bullQueue',
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
};

/** The part of n8n's execution context that the node uses. */
function fakeContext(execution: FakeExecution): IExecuteFunctions {
  const { parameters, credential, continueOnFail = false, executionId, workflowId, signal, hints } = execution;
  const { input = [] } = execution;
  return {
    getInputData: () => parameters.map((_, i) => ({ json: input[i] ?? {} })),
    getNodeParameter: (name: string, itemIndex: number, otherwise?: unknown) =>
      parameters[itemIndex]?.[name] ?? otherwise,
    getCredentials: (_name: string, itemIndex: number) =>
      Promise.resolve(typeof credential === 'function' ? credential(itemIndex) : credential),
    getNode: () => ({ ...node, ...execution.node }),
    getWorkflow: () => ({ id: workflowId }),
    continueOnFail: () => continueOnFail,
    ...(execution.isToolExecution !== undefined && { isToolExecution: () => execution.isToolExecution }),
    ...(hints && { addExecutionHints: ({ message }: { message: string }) => hints.push(message) }),
    ...(executionId === undefined ? {} : { getExecutionId: () => executionId }),
    ...(signal === undefined ? {} : { getExecutionCancelSignal: () => signal }),
  } as unknown as IExecuteFunctions;
}

/** Runs the node; returns its output items. */
export async function run(execution: FakeExecution): Promise<INodeExecutionData[]> {
  const [items] = await new BullQueue().execute.call(fakeContext(execution));
  return items ?? [];
}

/** A credential with these fields, and the defaults for all others. */
export const credential = (fields: IDataObject = {}): ICredentialDataDecryptedObject => ({
  ...{
    host: 'localhost',
    port: 6379,
    database: 0,
    clusterNodes: '',
    user: '',
    password: '',
    tls: false,
    ca: '',
    serverName: '',
  },
  ...{ prefix: 'bull', queue: 'jobs', allowChanges: false },
  ...(fields as ICredentialDataDecryptedObject),
});
