import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
  NodeConnectionType,
} from 'n8n-workflow';
import { StoppedError, throwIfStopped } from '../shared/clock';
import { failureOf } from '../shared/failure';
import { readChoice } from '../shared/parameters';
import { Connections } from './connections';
import { addressOf, testCredential } from './credential';
import { jobs } from './operations/jobs';
import { stats } from './operations/stats';
import { waitUntilDrained } from './operations/waitUntilDrained';
import { workers } from './operations/workers';

// Constants for the reasons given in LoadTarget.node.ts.
const MAIN: NodeConnectionType[] = ['main'];
const ICON = 'file:bullQueue.svg';

const operations = { stats, jobs, workers, waitUntilDrained };
const operationNames = Object.keys(operations) as Array<keyof typeof operations>;

/** Reads the queue in which n8n keeps its executions in queue mode. It changes nothing there. */
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
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        options: [
          {
            name: 'Get Jobs',
            value: 'jobs',
            action: 'Get jobs of one state',
            description: 'List the jobs of one state and their executions',
          },
          {
            name: 'Get Stats',
            value: 'stats',
            action: 'Get stats of the queue',
            description:
              'Count the jobs, and get the age of the oldest and the rates at which jobs are added and finished',
          },
          {
            name: 'Get Workers',
            value: 'workers',
            action: 'Get workers of the queue',
            description: 'List the connected workers',
          },
          {
            name: 'Wait Until Drained',
            value: 'waitUntilDrained',
            action: 'Wait until the queue is drained',
            description: 'Wait until the jobs are finished, or until the timeout',
          },
        ],
        default: 'stats',
      },
      ...Object.values(operations).flatMap(({ properties }) => properties),
    ],
  };

  methods = {
    credentialTest: {
      bullQueueApiTest(this: ICredentialTestFunctions, credential: ICredentialsDecrypted) {
        return testCredential(credential);
      },
    },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData();
    // n8n below 1.0 has no getExecutionCancelSignal, n8n below 0.2xx no getExecutionId.
    const signal = this.getExecutionCancelSignal?.();
    const execution = { id: this.getExecutionId?.(), workflowId: this.getWorkflow().id };

    const connections = new Connections();
    const results: INodeExecutionData[] = [];
    try {
      for (let itemIndex = 0; itemIndex < items.length; itemIndex++) {
        const pairedItem = { item: itemIndex };
        try {
          throwIfStopped(signal);
          const name = readChoice('Operation', this.getNodeParameter('operation', itemIndex), operationNames);
          const operation = operations[name];
          const parameters = operation.read((parameter) => this.getNodeParameter(parameter, itemIndex));
          const address = addressOf(await this.getCredentials('bullQueueApi', itemIndex));
          const connection = await connections.to(address);
          const output = await operation.execute(parameters, { connection, execution, signal });
          results.push(...output.map((json) => ({ json, pairedItem })));
        } catch (error) {
          // n8n marks a stopped execution as canceled only if no node fails afterwards.
          if (error instanceof StoppedError) break;
          const failure = failureOf(this.getNode(), error, itemIndex);
          if (!this.continueOnFail()) throw failure;
          results.push({ json: { error: failure.message }, pairedItem });
        }
      }
    } finally {
      await connections.close();
    }
    return [results];
  }
}
