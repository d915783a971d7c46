import type {
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
  NodeConnectionType,
} from 'n8n-workflow';
import { StoppedError, throwIfStopped } from '../shared/clock';
import { toNodeError, errorText } from '../shared/failure';
import { readChoice } from '../shared/parameters';
import { refuseChanges, refuseOtherQueue } from './changes';
import { Connections } from './connections';
import { readAddress, readQueue } from './credential';
import { operationField, operations, operationNames, type OperationName } from './operations';
import { methods } from './methods';
import { queueField } from './queueField';

// Constants for the reasons given in LoadTarget.node.ts.
const MAIN: NodeConnectionType[] = ['main'];
const ICON = 'file:bullQueue.svg';

/** Reads the queue in which n8n keeps its executions in queue mode. Only two operations change something: pause and resume. */
export class BullQueue implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Bull Queue',
    name: 'bullQueue',
    icon: ICON,
    group: ['input'],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: 'Read the job queue of n8n: backlog, jobs and workers',
    defaults: { name: 'Bull Queue' },
    inputs: MAIN,
    outputs: MAIN,
    usableAsTool: true,
    credentials: [{ name: 'bullQueueApi', required: true, testedBy: 'bullQueueApiTest' }],
    properties: [
      operationField,
      { ...queueField, displayOptions: { hide: { operation: ['queues'] } } },
      ...Object.values(operations).flatMap(({ properties }) => properties),
    ],
  };

  methods = methods;

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData();
    // n8n below 1.0 has no getExecutionCancelSignal, the oldest 0.x no getExecutionId.
    const signal = this.getExecutionCancelSignal?.();
    const execution = { id: this.getExecutionId?.(), workflowId: this.getWorkflow().id };

    const connections = new Connections();
    const results: INodeExecutionData[] = [];
    const hints = new Set<string>();
    try {
      for (const itemIndexes of groupItemsIntoRuns(this, items.length)) {
        const [itemIndex = 0] = itemIndexes;
        const pairedItem = itemIndexes.length === 1 ? { item: itemIndex } : itemIndexes.map((item) => ({ item }));
        try {
          throwIfStopped(signal);
          const name = readChoice('Operation', this.getNodeParameter('operation', itemIndex), operationNames);
          const operation = operations[name];
          const parameters = operation.read((parameter) => this.getNodeParameter(parameter, itemIndex));
          const queue = readQueue(this.getNodeParameter('queue', itemIndex, ''));
          const credential = await this.getCredentials('bullQueueApi', itemIndex);
          if (operation.changes) refuseChanges(this, credential);
          const address = readAddress({ ...credential, ...(queue && { queue }) });
          const opened = await connections.to(address);
          if (operation.changes) refuseOtherQueue(opened);
          const warning = opened.warning?.message;
          const input = itemIndexes.map((i) => items[i]?.json ?? {});
          const { connection, isNew } = opened;
          const reconnect = () => connections.reopen(address);
          const run = { connection, isNew, reconnect, execution, items: input, signal };
          const output = await operation.execute(parameters, run);
          results.push(...output.map((json) => ({ json: { ...json, ...(warning && { warning }) }, pairedItem })));
          if (warning) hints.add(warning);
        } catch (error) {
          // n8n marks a stopped execution as canceled only if no node fails afterwards.
          if (error instanceof StoppedError) break;
          const failure = toNodeError(this.getNode(), error, itemIndex);
          if (!this.continueOnFail()) throw failure;
          results.push({ json: { error: errorText(error) }, pairedItem });
        }
      }
    } finally {
      await connections.close();
    }
    // Get Jobs outputs no item for an empty queue, so the warning is shown beside the output, too. n8n 0.221 has no hints.
    for (const message of hints) this.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' });
    return [results];
  }
}

/** The indexes of the input items of each run: one item a run, or all in one if the operation takes all items. */
function groupItemsIntoRuns(context: IExecuteFunctions, length: number): number[][] {
  const indexes = Array.from({ length }, (_, i) => i);
  const name = context.getNodeParameter('operation', 0, '') as OperationName;
  return operations[name]?.takesAllItems ? [indexes] : indexes.map((i) => [i]);
}
