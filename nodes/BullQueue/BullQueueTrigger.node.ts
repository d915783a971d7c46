import type {
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
  IPollFunctions,
  NodeConnectionType,
} from 'n8n-workflow';
import { toNodeError } from '../shared/failure';
import { detectChange, readThresholds, thresholdFields, watchedNumber, type Memory } from './alarm';
import { Connections } from './connections';
import { readAddress, readQueue } from './credential';
import { describeQueue } from './operations/stats';
import { readCounts } from './queue/counts';
import { methods } from './methods';
import { queueField } from './queueField';

// Constants for the reasons given in LoadTarget.node.ts.
const MAIN: NodeConnectionType[] = ['main'];
const ICON = 'file:bullQueue.svg';

/** Starts a workflow when a backlog of n8n's queue begins, and again when it is over. Changes nothing in Redis. */
export class BullQueueTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Bull Queue Trigger',
    name: 'bullQueueTrigger',
    icon: ICON,
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["watch"]}}',
    description: 'Starts the workflow when a backlog of the job queue of n8n begins, and when it is over',
    defaults: { name: 'Bull Queue Trigger' },
    inputs: [],
    outputs: MAIN,
    polling: true,
    credentials: [{ name: 'bullQueueApi', required: true, testedBy: 'bullQueueApiTest' }],
    properties: [
      {
        displayName:
          'In queue mode, what this trigger starts is a job of the same queue. It waits behind the backlog, and does not run ' +
          'without a worker. Use Prometheus for urgent alerts, and this trigger for messages that may come late.',
        name: 'limitNotice',
        type: 'notice',
        default: '',
      },
      queueField,
      ...thresholdFields,
    ],
  };

  methods = methods;

  /** Reads the queue once. A test in the editor outputs the current counts, and does not change the memory. */
  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    const connections = new Connections();
    try {
      const thresholds = readThresholds((name) => this.getNodeParameter(name));
      const queue = readQueue(this.getNodeParameter('queue', ''));
      const credential = await this.getCredentials('bullQueueApi');
      const { connection, warning } = await connections.to(readAddress({ ...credential, ...(queue && { queue }) }));
      const counts = await readCounts(connection);
      const stats = await describeQueue(connection, counts);
      const value = watchedNumber(thresholds.watch, counts, stats.oldestWaitingAgeMs as number | null);
      const output = (event: object) => [
        [{ json: { ...event, value, ...thresholds, ...stats, ...(warning && { warning: warning.message }) } }],
      ];
      if (this.getMode() === 'manual') return output({ event: 'test' });
      const remembered = this.getWorkflowStaticData('node') as Memory;
      const changed = detectChange(value, thresholds, remembered, Date.now());
      if (!changed) return null;
      Object.assign(remembered, changed.memory);
      return output(changed.event);
    } catch (error) {
      throw toNodeError(this.getNode(), error, 0);
    } finally {
      await connections.close();
    }
  }
}
