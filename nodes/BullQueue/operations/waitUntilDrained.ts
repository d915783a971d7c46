import { now, sleep } from '../../shared/clock';
import { readNumber } from '../../shared/parameters';
import { operation, type Run } from '../operation';
import { queueName } from '../queue/address';
import { pending, readCounts } from '../queue/counts';
import { readJobs } from '../queue/jobs';

const MAX_TIMEOUT_S = 3600;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 60_000;
/** Active jobs among which the execution's own is looked for. */
const LOOKED_AT = 1000;
const show = { operation: ['waitUntilDrained'] };

/**
 * Wait Until Drained: waits until no job is left that waits, runs, is delayed or paused. A timeout is an outcome, not
 * an error. In queue mode the execution that waits is an active job itself: that one does not count.
 */
export const waitUntilDrained = operation<{ timeoutMs: number; pollMs: number }>({
  properties: [
    {
      displayName: 'Timeout (Seconds)',
      name: 'timeout',
      type: 'number',
      typeOptions: { minValue: 0, maxValue: MAX_TIMEOUT_S },
      displayOptions: { show },
      default: 300,
      description: 'How long to wait at most. Then the output says drained: false. At most 3,600.',
    },
    {
      displayName: 'Poll Interval (Milliseconds)',
      name: 'pollInterval',
      type: 'number',
      typeOptions: { minValue: MIN_POLL_MS, maxValue: MAX_POLL_MS },
      displayOptions: { show },
      default: 1000,
      description: 'How long to wait between two looks at the queue, from 100 to 60,000',
    },
  ],

  read: (parameter) => ({
    timeoutMs: 1000 * readNumber('Timeout', parameter('timeout'), { min: 0, max: MAX_TIMEOUT_S, unit: 's' }),
    pollMs: readNumber('Poll Interval', parameter('pollInterval'), { min: MIN_POLL_MS, max: MAX_POLL_MS, unit: 'ms' }),
  }),

  async execute({ timeoutMs, pollMs }, run) {
    const start = now();
    const ownJobs = await countOwnJobs(run);
    const look = async () => {
      const { waiting, active, delayed, paused } = await readCounts(run.connection);
      return { waiting, active: Math.max(0, active - ownJobs), delayed, paused };
    };
    let last = await look();
    let peak = last;
    for (let leftMs = timeoutMs; pending(last) > 0 && leftMs > 0; leftMs = timeoutMs - (now() - start)) {
      await sleep(Math.min(pollMs, leftMs), run.signal);
      last = await look();
      if (pending(last) > pending(peak)) peak = last;
    }
    const queue = queueName(run.connection.address);
    return [{ queue, drained: pending(last) === 0, waitedMs: Math.round(now() - start), last, peak }];
  },
});

/** 1 when a worker of this very queue runs the execution, else 0. n8n below 1.0 does not note the workflow in a job. */
async function countOwnJobs({ connection, execution }: Run): Promise<number> {
  if (!execution.id) return 0;
  const active = await readJobs(connection, { state: 'active', offset: 0, limit: LOOKED_AT });
  return active.filter(({ data }) => {
    const { executionId, workflowId = execution.workflowId } = (data ?? {}) as Record<string, unknown>;
    return String(executionId) === execution.id && workflowId === execution.workflowId;
  }).length;
}
