import type { IDataObject } from 'n8n-workflow';
import { sleep } from '../../shared/clock';
import { noticeField } from '../../shared/notice';
import { readNumber } from '../../shared/parameters';
import { compareWithJobs, readExecutionId, commonFindings, hasFindings, type Findings } from '../compare';
import { readExecutions, type Execution } from '../executions';
import { operation } from '../operation';
import { queueName } from '../queue/address';
import type { QueueConnection } from '../queue/connection';
import { findRelatedQueues, readUnfinished } from '../queue/jobsOfAll';
import type { ReadJob } from '../queue/snapshot';

const MAX_GRACE_S = 60;
/** Most findings of each kind in the output. */
const MAX_FINDINGS = 1000;
const show = { operation: ['reconcile'] };

const NOT_ALL = 'The queue holds more jobs than were read, so it is unknown which executions are without a job.';
const POOLS =
  'Redis holds more keys than were scanned, so queues of worker pools may be missing, and it is unknown which executions ' +
  'are without a job.';
const NEW =
  'The queue has never had a job. If n8n has executed something, its name or prefix is wrong, or Redis has lost its data.';
const CUT = `Only the first ${MAX_FINDINGS} findings of a kind are listed.`;

/**
 * Reconcile: one output item with the new or running executions that have no job in the queue, and the jobs whose
 * execution has ended or is not among the input. The executions are the input items. They were read before the queue, so a
 * finding is proven only by reading its execution once more, afterwards.
 */
export const reconcile = operation<{ graceMs: number; manualHaveJobs: boolean }>({
  properties: [
    noticeField(
      'reconcile',
      'Connect the n8n node (Execution: Get Many) before this one. It compares all input items at once. Get each execution ' +
        'that it finds once more before you act: it may have ended while the queue was read.',
    ),
    {
      displayName: 'Grace Time (Seconds)',
      name: 'graceTime',
      type: 'number',
      typeOptions: { minValue: 0, maxValue: MAX_GRACE_S },
      displayOptions: { show },
      default: 5,
      description:
        'How long a finding must last. n8n stores an execution before it adds the job, and stores the end before the job ' +
        'is removed. If there are findings, the queue is read again after this time. At most 60.',
    },
    {
      displayName: 'Manual Executions Have Jobs',
      name: 'manualHaveJobs',
      type: 'boolean',
      displayOptions: { show },
      default: false,
      description:
        'Whether OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS is true in n8n. If not, manual executions need no job.',
    },
  ],
  takesAllItems: true,

  read: (parameter) => ({
    graceMs: 1000 * readNumber('Grace Time', parameter('graceTime'), { min: 0, max: MAX_GRACE_S, unit: 's' }),
    manualHaveJobs: parameter('manualHaveJobs') === true,
  }),

  async execute({ graceMs, manualHaveJobs }, { connection, isNew, items, signal }) {
    const executions = readExecutions(items);
    const queues = await findRelatedQueues(connection);
    const first = await readAndCompare(connection, queues.names, executions, manualHaveJobs);
    let { findings, complete: isRead } = first;
    if (hasFindings(findings)) {
      await sleep(graceMs, signal);
      const second = await readAndCompare(connection, queues.names, executions, manualHaveJobs);
      findings = commonFindings(findings, second.findings);
      isRead &&= second.complete;
    }
    const { jobs, compared, needNoJob } = first;
    const lists = describeFindings(findings, Date.now());
    const isCut = Object.values(lists).some((list) => list.length > MAX_FINDINGS);
    const complete = isRead && queues.complete;
    const notes = [
      ...(isNew ? [NEW] : []),
      ...(isRead ? [] : [NOT_ALL]),
      ...(queues.complete ? [] : [POOLS]),
      ...(isCut ? [CUT] : []),
    ];
    return [
      {
        ...{ queue: queueName(connection.address), exists: !isNew, queues: queues.names },
        ...{ executions: executions.length, compared, needNoJob, jobs, complete },
        withoutJob: complete ? lists.withoutJob.slice(0, MAX_FINDINGS) : null,
        ended: lists.ended.slice(0, MAX_FINDINGS),
        notListed: lists.notListed.slice(0, MAX_FINDINGS),
        ...(notes.length > 0 && { note: notes.join(' ') }),
      },
    ];
  },
});

async function readAndCompare(
  connection: QueueConnection,
  names: string[],
  executions: Execution[],
  manualHaveJobs: boolean,
): Promise<{ findings: Findings; jobs: number; compared: number; needNoJob: number; complete: boolean }> {
  const { jobs, complete } = await readUnfinished(connection, names);
  const { compared, needNoJob, ...findings } = compareWithJobs(executions, jobs, manualHaveJobs);
  return { findings, jobs: jobs.length, compared, needNoJob, complete };
}

/** The findings as lists of the output item. */
function describeFindings(
  { withoutJob, ended, notListed }: Findings,
  at: number,
): Record<keyof Findings, IDataObject[]> {
  return {
    withoutJob: withoutJob.map(({ id, workflowId, status, mode = null, startedAt }) => ({
      ...{ executionId: id, workflowId, status, mode, startedAt },
    })),
    ended: ended.map(({ job, execution: { workflowId, status } }) => ({
      ...{ executionId: readExecutionId(job), workflowId, status },
      ...describeQueuedJob(job, at),
    })),
    notListed: notListed.map((job) => ({
      ...{ executionId: readExecutionId(job), workflowId: readWorkflowId(job) },
      ...describeQueuedJob(job, at),
    })),
  };
}

const describeQueuedJob = ({ queue, id, state, timestamp }: ReadJob, at: number): IDataObject => ({
  ...{ queue, jobId: id, state, ageMs: Math.max(0, at - timestamp) },
});

function readWorkflowId({ data }: ReadJob): string | null {
  const { workflowId } = (data ?? {}) as { workflowId?: unknown };
  return typeof workflowId === 'string' ? workflowId : null;
}
