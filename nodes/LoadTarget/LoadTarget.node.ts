import {
  NodeOperationError,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type NodeConnectionType,
} from 'n8n-workflow';
import { budgetOf, type TimeGrant } from './ceilings';
import { now, StoppedError, throwIfStopped, toMicroseconds } from './clock';
import { burnCpu } from './operations/burnCpu';
import { holdMemory } from './operations/holdMemory';
import { identify } from './operations/identify';
import { wait } from './operations/wait';
import { readChoice } from './parameters';

// Constants, because the two ESLint plugins contradict each other on literals here, and because n8n-workflow below 1.70 has
// no NodeConnectionTypes at run time and cores below 1.50 cannot read a pair of light and dark icons.
const MAIN: NodeConnectionType[] = ['main'];
const ICON = 'file:loadTarget.svg';

const operations = { wait, burnCpu, holdMemory, identify };
const operationNames = Object.keys(operations) as Array<keyof typeof operations>;

/** A node whose cost is known and bounded: the target that load tests drive. */
export class LoadTarget implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Load Target',
    name: 'loadTarget',
    icon: ICON,
    group: ['transform'],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: 'Do work whose cost is known and bounded, to find out what a deployment takes',
    defaults: { name: 'Load Target' },
    inputs: MAIN,
    outputs: MAIN,
    usableAsTool: true,
    properties: [
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        options: [
          {
            name: 'Burn CPU',
            value: 'burnCpu',
            action: 'Burn CPU',
            description: 'Count to a number, or burn for a time',
          },
          {
            name: 'Hold Memory',
            value: 'holdMemory',
            action: 'Hold memory',
            description: 'Hold megabytes on or off the V8 heap for a time',
          },
          {
            name: 'Identify',
            value: 'identify',
            action: 'Identify the process',
            description: 'Say which process answers and how it fares',
          },
          {
            name: 'Wait',
            value: 'wait',
            action: 'Wait without blocking',
            description: 'Take time without using any',
          },
        ],
        default: 'wait',
      },
      ...Object.values(operations).flatMap(({ properties }) => properties),
    ],
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData();
    // Both calls are missing in n8n below 1.0 or 0.2xx; a node must do without them there.
    const signal = this.getExecutionCancelSignal?.();
    const budget = budgetOf(this.getExecutionId?.());

    const results: INodeExecutionData[] = [];
    const fail = (error: unknown, itemIndex: number) => {
      const failure = new NodeOperationError(this.getNode(), error as Error, { itemIndex });
      if (!this.continueOnFail()) throw failure;
      results[itemIndex] = { json: { error: failure.message }, pairedItem: { item: itemIndex } };
    };

    const work: Array<{ itemIndex: number; time: TimeGrant; run: () => Promise<INodeExecutionData> }> = [];
    try {
      for (let itemIndex = 0; itemIndex < items.length; itemIndex++) {
        try {
          const name = readChoice('Operation', this.getNodeParameter('operation', itemIndex), operationNames);
          const operation = operations[name];
          const parameters = operation.read((parameter) => this.getNodeParameter(parameter, itemIndex));
          const time = budget.reserve(operation.milliseconds(parameters));
          const run = async (): Promise<INodeExecutionData> => {
            throwIfStopped(signal);
            const start = now();
            const { identity, ...proof } = await operation.execute(parameters, { time, signal });
            const tookMs = toMicroseconds(now() - start);
            return { json: { operation: name, ...proof, tookMs, identity }, pairedItem: { item: itemIndex } };
          };
          work.push({ itemIndex, time, run });
        } catch (error) {
          fail(error, itemIndex);
        }
      }

      for (const { itemIndex, time, run } of work) {
        try {
          results[itemIndex] = await run();
        } catch (error) {
          // n8n calls an execution canceled only if no node fails after it was stopped.
          if (error instanceof StoppedError) break;
          fail(error, itemIndex);
        } finally {
          time.settle(true);
        }
      }
    } finally {
      for (const { time } of work) time.settle(false);
    }
    return [results.filter(Boolean)];
  }
}
