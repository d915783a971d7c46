import type { IDataObject } from 'n8n-workflow';
import { ParameterError, readChoice, formatValue as shown } from '../../shared/parameters';
import { operation } from '../operation';
import { queueName } from '../queue/address';
import type { QueueConnection } from '../queue/connection';
import { findJob, readJob, MAX_SEARCHED_JOBS, type JobDetails } from '../queue/job';
import { findRelatedQueues } from '../queue/jobsOfAll';
import { describeJob } from './describeJob';

const show = { operation: ['job'] };
const BY = ['executionId', 'jobId'] as const;

/** An id of n8n or Bull. It holds no separator of Redis keys, so that only keys of the queue's jobs are read. */
const ID = /^[\w.-]{1,100}$/;

const GONE = 'n8n removes jobs when they end.';
const NOT_ALL = `At most ${MAX_SEARCHED_JOBS} jobs of each queue were read. A queue holds more.`;
const POOLS = 'Redis holds more keys than were scanned, so queues of worker pools may be missing.';

/**
 * Get Job: one output item with the state of one job. The job of an execution is also looked for in the queues of worker
 * pools; if it has several, the newest is returned. The data of the job is never included.
 */
export const job = operation<{ by: (typeof BY)[number]; id: string }>({
  properties: [
    {
      displayName: 'By',
      name: 'by',
      type: 'options',
      displayOptions: { show },
      options: [
        {
          name: 'Execution ID',
          value: 'executionId',
          description: `Look through at most ${MAX_SEARCHED_JOBS.toLocaleString('en')} jobs of each queue for the newest of an execution, also in the queues of worker pools`,
        },
        { name: 'Job ID', value: 'jobId', description: 'Read the job with the number that Bull gave it' },
      ],
      default: 'executionId',
    },
    {
      displayName: 'ID',
      name: 'id',
      type: 'string',
      displayOptions: { show },
      default: '',
      required: true,
      description: 'ID of the execution or of the job. A sub-workflow runs in the job of its caller.',
    },
  ],

  read(parameter) {
    const by = readChoice('By', parameter('by'), BY);
    const value = parameter('id');
    const id = typeof value === 'number' ? String(value) : value;
    if (typeof id !== 'string' || !ID.test(id.trim())) {
      throw new ParameterError('ID', `ID cannot be ${shown(value)}`, 'Set ID to the id of an execution or of a job.');
    }
    return { by, id: id.trim() };
  },

  async execute({ by, id }, { connection }) {
    return [by === 'jobId' ? await describeJobById(connection, id) : await describeJobOfExecution(connection, id)];
  },
});

/** The output item for a job of the queue. */
async function describeJobById(connection: QueueConnection, jobId: string): Promise<IDataObject> {
  const queue = queueName(connection.address);
  const details = await readJob(connection, jobId);
  if (details) return { queue, found: true, ...describe(details) };
  return { queue, found: false, jobId, note: `The queue does not hold the job. ${GONE}` };
}

/** The output item for the newest job of an execution. */
async function describeJobOfExecution(connection: QueueConnection, executionId: string): Promise<IDataObject> {
  const queues = await findRelatedQueues(connection);
  const { job, complete } = await findJob(connection, queues.names, executionId);
  const details = job && (await readJob(connection, job.id, job.queue));
  const cut = [...(complete ? [] : [NOT_ALL]), ...(queues.complete ? [] : [POOLS])].join(' ');
  if (details) {
    const note = cut && { note: `A newer job of the execution may be missing. ${cut}` };
    return { queue: job.queue, found: true, ...describe(details), ...note };
  }
  return {
    ...{ queue: queueName(connection.address), queues: queues.names, found: false, executionId },
    note: cut ? `The job was not found. ${cut}` : `The queues do not hold the job. ${GONE}`,
  };
}

function describe(details: JobDetails): IDataObject {
  const { state, priority, stalledCount, progress, lock } = details;
  return {
    ...describeJob(details, state, Date.now(), lock),
    priority,
    stalledCount,
    ...describeProgress(progress),
  };
}

/**
 * A number as `progress`. n8n reports messages, such as the response to a webhook. They hold data of the execution, so only
 * their kind is shown.
 */
function describeProgress(progress: unknown): IDataObject {
  const { kind } = (progress ?? {}) as { kind?: unknown };
  return {
    progress: typeof progress === 'number' ? progress : null,
    lastMessage: typeof kind === 'string' && /^[a-z-]{1,40}$/.test(kind) ? kind : null,
  };
}
