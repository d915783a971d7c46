import type { INodeProperties } from 'n8n-workflow';
import { operation } from '../operation';
import { queueName } from '../queue/address';
import { setPaused } from '../queue/pause';

/** Read in the sources of n8n 1.123.81 and 2.41.1, `scaling.service.js` and `job-processor.js`. docs/nodes.md has the rest. */
const WHILE_PAUSED =
  'Resume within minutes, and do not restart n8n meanwhile. At each start and every 180 minutes n8n looks for executions ' +
  'without a job. It does not see the jobs of a paused queue, and marks up to 100 of their executions as crashed. ' +
  'These never run.';

const notice: INodeProperties = {
  displayName: `No job starts on any worker until the queue is resumed. ${WHILE_PAUSED}`,
  name: 'pauseNotice',
  type: 'notice',
  displayOptions: { show: { operation: ['pause'] } },
  default: '',
};

/** Pause Queue: workers finish what they run, and no further job starts. One output item. */
export const pause = operation<Record<string, never>>({
  properties: [notice],
  changes: true,
  read: () => ({}),
  async execute(_, { connection }) {
    const { changed, counts } = await setPaused(connection, true);
    const { isPaused, waiting, active, delayed, paused } = counts;
    const queue = queueName(connection.address);
    return [{ queue, isPaused, changed, waiting, active, delayed, paused, note: WHILE_PAUSED }];
  },
});

/** Resume Queue: workers start jobs again. One output item. */
export const resume = operation<Record<string, never>>({
  properties: [],
  changes: true,
  read: () => ({}),
  async execute(_, { connection }) {
    const { changed, counts } = await setPaused(connection, false);
    const { isPaused, waiting, active, delayed, paused } = counts;
    return [{ queue: queueName(connection.address), isPaused, changed, waiting, active, delayed, paused }];
  },
});
