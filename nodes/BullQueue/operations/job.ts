import type { IDataObject } from 'n8n-workflow';
import { ParameterError, readChoice, show as shown } from '../../shared/parameters';
import { operation } from '../operation';
import { queueName } from '../queue/address';
import { findJob, readJob, SEARCHED_JOBS, type JobDetails } from '../queue/job';
import { describeJob } from './describeJob';

const show = { operation: ['job'] };
const BY = ['executionId', 'jobId'] as const;

/** An id of n8n or Bull: no separator of Redis keys, so that no key beside the queue's jobs is read. */
const ID = /^[\w.-]{1,100}$/;

/** Get Job: one output item with the state of one job. The data of the job is never included. */
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
          description: `Look through at most ${SEARCHED_JOBS.toLocaleString('en')} jobs for the one of an execution`,
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
    const queue = queueName(connection.address);
    const found = by === 'jobId' ? { id, complete: true } : await findJob(connection, id);
    const details = found.id === undefined ? undefined : await readJob(connection, found.id);
    if (details) return [{ queue, found: true, ...describe(details) }];
    return [
      {
        ...{ queue, found: false, [by]: id },
        note: found.complete
          ? 'The queue does not hold the job. n8n removes jobs when they end.'
          : `The job is not among the ${SEARCHED_JOBS} jobs that were read. The queue holds more.`,
      },
    ];
  },
});

function describe(details: JobDetails): IDataObject {
  const { state, priority, stalledCount, progress, lock } = details;
  return {
    ...describeJob(details, state, Date.now(), lock),
    priority,
    stalledCount,
    ...progressOf(progress),
  };
}

/**
 * A number as `progress`. n8n reports messages, such as the response to a webhook. They hold data of the execution, so only
 * their kind is shown.
 */
function progressOf(progress: unknown): IDataObject {
  const { kind } = (progress ?? {}) as { kind?: unknown };
  return {
    progress: typeof progress === 'number' ? progress : null,
    lastMessage: typeof kind === 'string' && /^[a-z-]{1,40}$/.test(kind) ? kind : null,
  };
}
