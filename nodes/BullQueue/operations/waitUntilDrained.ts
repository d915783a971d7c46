import { now, sleep } from '../../shared/clock';
import { readNumber } from '../../shared/parameters';
import { operation, type Run } from '../operation';
import { queueName } from '../queue/address';
import { pending, readCounts } from '../queue/counts';
import { readJobs } from '../queue/jobs';

const MAX_TIMEOUT_S = 3600;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 60_000;
/** Number of active jobs that are searched for the execution's own. */
const LOOKED_AT = 1000;
const show = { operation: ['waitUntilDrained'] };

/**
 * Wait Until Drained: waits until no job is waiting, active, delayed or paused. A timeout is a result, not an error. In
 * queue mode the execution that runs this node is an active job itself; it is not counted.
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
      description: 'Longest time to wait. After it the output has drained: false. At most 3,600.',
    },
    {
      displayName: 'Poll Interval (Milliseconds)',
      name: 'pollInterval',
      type: 'number',
      typeOptions: { minValue: MIN_POLL_MS, maxValue: MAX_POLL_MS },
      displayOptions: { show },
      default: 1000,
      description: 'How long to wait between two readings of the queue, from 100 to 60,000',
    },
  ],

  read: (parameter) => ({
    timeoutMs: 1000 * readNumber('Timeout', parameter('timeout'), { min: 0, max: MAX_TIMEOUT_S, unit: 's' }),
    pollMs: readNumber('Poll Interval', parameter('pollInterval'), { min: MIN_POLL_MS, max: MAX_POLL_MS, unit: 'ms' }),
  }),

  async execute({ timeoutMs, pollMs }, run) {
    const start = now();
    const ownJobs = await countOwnJobs(run);
    const readState = async () => {
      const { waiting, active, delayed, paused } = await readCounts(run.connection);
      return { waiting, active: Math.max(0, active - ownJobs), delayed, paused };
    };
    let last = await readState();
    let peak = last;
    for (let leftMs = timeoutMs; pending(last) > 0 && leftMs > 0; leftMs = timeoutMs - (now() - start)) {
      await sleep(Math.min(pollMs, leftMs), run.signal);
      last = await readState();
      if (pending(last) > pending(peak)) peak = last;
    }
    const queue = queueName(run.connection.address);
    return [{ queue, drained: pending(last) === 0, waitedMs: Math.round(now() - start), last, peak }];
  },
});

/** 1 if a worker of this queue runs the execution, otherwise 0. Jobs of n8n below 1.0 do not hold the workflow's id. */
async function countOwnJobs({ connection, execution }: Run): Promise<number> {
  if (!execution.id) return 0;
  const active = await readJobs(connection, { state: 'active', offset: 0, limit: LOOKED_AT });
  return active.filter(({ data }) => {
    const { executionId, workflowId = execution.workflowId } = (data ?? {}) as Record<string, unknown>;
    return String(executionId) === execution.id && workflowId === execution.workflowId;
  }).length;
}
