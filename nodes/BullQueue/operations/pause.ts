import type { IDataObject } from 'n8n-workflow';
import { noticeField } from '../../shared/notice';
import { operation } from '../operation';
import { queueName } from '../queue/address';
import type { QueueConnection } from '../queue/connection';
import { findRelatedQueues } from '../queue/jobsOfAll';
import { setPaused } from '../queue/pause';

/**
 * Read in the sources of n8n 1.123.81 and 2.41.1, `scaling.service.js` and `job-processor.js`. docs/nodes.md has the rest.
 */
const WHILE_PAUSED =
  'Resume within minutes, and do not restart n8n meanwhile. At each start and every 180 minutes n8n looks for executions ' +
  'without a job. It does not see the jobs of a paused queue, and marks up to N8N_EXECUTIONS_QUEUE_RECOVERY_BATCH ' +
  'of their executions as crashed (100; the Helm chart n8n-tuned sets 10,000). These never run.';

const CUT = 'Redis holds more keys than were scanned, so queues of worker pools may be missing in "pools".';

/** Pauses or resumes the queue. Returns the output item with the state of the queue afterwards. */
async function changePause(connection: QueueConnection, toPaused: boolean): Promise<IDataObject> {
  const { changed, counts } = await setPaused(connection, toPaused);
  const { isPaused, waiting, active, delayed, paused } = counts;
  return { queue: queueName(connection.address), isPaused, changed, waiting, active, delayed, paused };
}

/** Pause Queue: workers finish what they run, and no further job starts. One output item. */
export const pause = operation<Record<string, never>>({
  properties: [noticeField('pause', `No job starts on any worker until the queue is resumed. ${WHILE_PAUSED}`)],
  changes: true,
  read: () => ({}),
  async execute(_, { connection }) {
    const { names, complete } = await findRelatedQueues(connection);
    const [, ...pools] = names;
    const note = complete ? WHILE_PAUSED : `${CUT} ${WHILE_PAUSED}`;
    return [{ ...(await changePause(connection, true)), pools, poolsComplete: complete, note }];
  },
});

/** Resume Queue: workers start jobs again. One output item. */
export const resume = operation<Record<string, never>>({
  properties: [],
  changes: true,
  read: () => ({}),
  execute: async (_, { connection }) => [await changePause(connection, false)],
});
