import { now, sleep } from '../../shared/clock';
import { ParameterError, readChoice, readNumber, formatValue as shown } from '../../shared/parameters';
import { operation } from '../operation';
import { queueName } from '../queue/address';
import { countPending, type Unfinished } from '../queue/counts';
import type { QueueConnection } from '../queue/connection';
import { createUnfinishedReader } from '../queue/unfinished';
import { QueueProblem } from '../queue/problem';
import { isOwnJob } from './own';

const MAX_TIMEOUT_S = 3600;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 60_000;
/** Number of jobs that are still waited for, by the value of Wait For. */
const REMAINING: Record<WaitFor, (jobs: Unfinished) => number> = {
  active: ({ active }) => active,
  activeAndWaiting: ({ active, waiting, paused }) => active + waiting + paused,
  everything: countPending,
};
type WaitFor = 'active' | 'activeAndWaiting' | 'everything';
const WAIT_FOR = Object.keys(REMAINING) as WaitFor[];
const LOST =
  'It is empty, and not paused, but what ran may still run. Look at the executions in n8n, or compare them by Reconcile.';
const show = { operation: ['waitUntilDrained'] };

interface Drain {
  waitFor: WaitFor;
  /** Ids of the workflows whose active jobs are not waited for. */
  ignored: string[];
  timeoutMs: number;
  pollMs: number;
}

/**
 * Wait Until Drained: waits until the queue has none of the jobs that are waited for. A timeout is a result, not an error.
 * If Redis cannot be read meanwhile, it tries again until the timeout. In queue mode the execution that runs this node is
 * an active job itself; it is not counted.
 */
export const waitUntilDrained = operation<Drain>({
  properties: [
    {
      displayName: 'Wait For',
      name: 'waitFor',
      type: 'options',
      displayOptions: { show },
      options: [
        { name: 'Active and Waiting Jobs', value: 'activeAndWaiting', description: 'All but delayed jobs' },
        {
          name: 'Active Jobs Only',
          value: 'active',
          description: 'What runs now, for a queue that was paused. Without a pause, the next jobs start.',
        },
        { name: 'Everything', value: 'everything', description: 'Active, waiting and delayed jobs' },
      ],
      default: 'everything',
    },
    {
      displayName: 'Ignore Workflows',
      name: 'ignoreWorkflows',
      type: 'string',
      displayOptions: { show },
      default: '',
      placeholder: 'mHx5vQ2bTz, Rk81ZqLw7c',
      description:
        'IDs of workflows whose active jobs are not waited for, separated by commas. Set it to the calling workflow if ' +
        'this node is in a sub-workflow, which runs in the job of its caller, and to every workflow with this ' +
        'operation if several may wait at once, because they would wait for each other.',
    },
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
    waitFor: readChoice('Wait For', parameter('waitFor'), WAIT_FOR),
    ignored: readIds('Ignore Workflows', parameter('ignoreWorkflows')),
    timeoutMs: 1000 * readNumber('Timeout', parameter('timeout'), { min: 0, max: MAX_TIMEOUT_S, unit: 's' }),
    pollMs: readNumber('Poll Interval', parameter('pollInterval'), { min: MIN_POLL_MS, max: MAX_POLL_MS, unit: 'ms' }),
  }),

  async execute({ waitFor, ignored, timeoutMs, pollMs }, { connection, isNew, reconnect, execution, signal }) {
    const start = now();
    const queue = queueName(connection.address);
    const createReader = (of: QueueConnection) =>
      createUnfinishedReader(of, (data) => isOwnJob(data, execution) || isJobOfWorkflows(data, ignored));
    let readState = createReader(connection);
    const left = REMAINING[waitFor];
    let last = await readState();
    let peak = last;
    let problem: Error | undefined;
    let isLost = false;
    const isOver = () => problem === undefined && left(last) === 0;
    for (let leftMs = timeoutMs; !isOver() && leftMs > 0; leftMs = timeoutMs - (now() - start)) {
      await sleep(Math.min(pollMs, leftMs), signal);
      try {
        if (problem !== undefined) {
          const found = await reconnect();
          isLost = found.isNew && !isNew;
          readState = createReader(found.connection);
        }
        last = await readState();
        problem = undefined;
      } catch (error) {
        problem = error as Error;
      }
      if (isLost) throw new QueueProblem('lost', `Redis has lost the queue ${queue}`, LOST);
      if (left(last) > left(peak)) peak = last;
    }
    if (problem !== undefined) throw problem;
    const waitedMs = Math.round(now() - start);
    return [{ queue, exists: !isNew, drained: left(last) === 0, waitedMs, last: { ...last }, peak: { ...peak } }];
  },
});

/** Reads ids that are separated by commas. n8n below 1.0 has numbers as ids. */
function readIds(name: string, value: unknown): string[] {
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new ParameterError(
      name,
      `${name} cannot be ${shown(value)}`,
      `Set ${name} to ids of workflows, separated by commas.`,
    );
  }
  return String(value)
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean);
}

/** Whether the data is that of a job of one of these workflows. */
function isJobOfWorkflows(data: unknown, workflowIds: string[]): boolean {
  const { workflowId } = (data ?? {}) as Record<string, unknown>;
  return workflowIds.some((id) => id === workflowId);
}
