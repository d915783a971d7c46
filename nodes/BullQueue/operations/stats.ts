import type { IDataObject } from 'n8n-workflow';
import { now, sleep } from '../../shared/clock';
import { readNumber } from '../../shared/parameters';
import { operation } from '../operation';
import { queueName } from '../queue/address';
import type { QueueConnection } from '../queue/connection';
import { countFinished, readCounts, type Counts } from '../queue/counts';
import { oldestWaiting } from '../queue/oldest';
import { countOwnJobs } from './own';

const MAX_WINDOW_MS = 60_000;

/**
 * Get Stats: one output item with the counts of the queue; with a window, also the rates at which they change and the
 * estimated time until the queue is drained.
 */
export const stats = operation<{ windowMs: number }>({
  properties: [
    {
      displayName: 'Window (Milliseconds)',
      name: 'window',
      type: 'number',
      typeOptions: { minValue: 0, maxValue: MAX_WINDOW_MS },
      displayOptions: { show: { operation: ['stats'] } },
      default: 0,
      description:
        'How long to watch the queue, to get how many jobs are added and finished per second and when it will be empty. ' +
        'At 0 the queue is read once, without rates. At most 60,000.',
    },
  ],

  read: (parameter) => ({
    windowMs: readNumber('Window', parameter('window'), { min: 0, max: MAX_WINDOW_MS, unit: 'ms' }),
  }),

  async execute({ windowMs }, { connection, execution, signal }) {
    const first = await readCounts(connection);
    const firstAt = now();
    if (windowMs === 0) return [await describeQueue(connection, first)];
    await sleep(windowMs, signal);
    const last = await readCounts(connection);
    const ms = now() - firstAt;
    const output = await describeQueue(connection, last);
    const own = await countOwnJobs(connection, execution);
    return [{ ...output, rates: computeRates(first, last, ms), drain: estimateDrain(first, last, ms, own) }];
  },
});

/** The output item without rates: the name of the queue, its counts, and the age of the oldest waiting job. */
export async function describeQueue(connection: QueueConnection, counts: Counts): Promise<IDataObject> {
  const oldest = await oldestWaiting(connection);
  const oldestWaitingAgeMs = oldest === undefined ? null : Math.max(0, Date.now() - oldest);
  return { queue: queueName(connection.address), ...describeCounts(counts), oldestWaitingAgeMs };
}

/**
 * The counts of the output item. By default Bull removes n8n's jobs when they end, and then completed and failed jobs
 * cannot be told apart: a count that is 0 only for that reason is null.
 */
export function describeCounts(counts: Counts): IDataObject {
  const { added, isPaused, completed, failed, ...unfinished } = counts;
  const ended = countFinished(counts);
  const removed = Math.max(0, ended - completed - failed);
  const kept = (count: number) => (count === 0 && removed > 0 ? null : count);
  return {
    exists: added > 0,
    isPaused,
    ...unfinished,
    completed: kept(completed),
    failed: kept(failed),
    added,
    finished: ended,
    ...(removed > 0 && {
      note:
        `${removed} of ${ended} finished jobs are not kept, so it is unknown how many of them completed or failed. ` +
        'n8n keeps them if N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED and …_FAILED are set',
    }),
  };
}

/** Changes per second between two readings that are `milliseconds` apart. */
export function computeRates(first: Counts, last: Counts, milliseconds: number): IDataObject {
  const perSecond = (difference: number) => Math.round((difference / milliseconds) * 1e6) / 1000;
  return {
    windowMs: Math.round(milliseconds),
    waitingPerSecond: perSecond(last.waiting + last.paused - first.waiting - first.paused),
    addedPerSecond: perSecond(last.added - first.added),
    finishedPerSecond: perSecond(countFinished(last) - countFinished(first)),
  };
}

/** Why there is no estimate: the queue is paused, no job ended in the window, or jobs are added as fast as they end. */
type NoEstimate = 'paused' | 'nothing-finished' | 'not-shrinking';

/**
 * The estimated time until no job is waiting or active, from two readings that are `milliseconds` apart:
 *
 *     backlog = waiting + paused + active - own
 *     seconds = backlog / (finishedPerSecond - addedPerSecond)
 *     secondsWithoutNewJobs = backlog / finishedPerSecond
 *
 * Delayed jobs and the job of the execution that runs the node do not count. Bull's own counters of completed jobs are not
 * used: n8n does not switch them on.
 * @param own number of active jobs of the execution that runs the node
 */
export function estimateDrain(first: Counts, last: Counts, milliseconds: number, own: 0 | 1 = 0): IDataObject {
  const backlog = Math.max(0, last.waiting + last.paused + last.active - own);
  const ended = countFinished(last) - countFinished(first);
  const left = ended - (last.added - first.added);
  const seconds = (jobs: number) => Math.round((backlog / jobs) * milliseconds) / 1000;
  const without = (reason: NoEstimate) => ({ backlog, finishedJobs: ended, seconds: null, reason });
  if (backlog === 0) return { backlog, finishedJobs: ended, seconds: 0, secondsWithoutNewJobs: 0 };
  if (last.isPaused) return { ...without('paused'), secondsWithoutNewJobs: null };
  if (ended <= 0) return { ...without('nothing-finished'), secondsWithoutNewJobs: null };
  if (left <= 0) return { ...without('not-shrinking'), secondsWithoutNewJobs: seconds(ended) };
  return { backlog, finishedJobs: ended, seconds: seconds(left), secondsWithoutNewJobs: seconds(ended) };
}
