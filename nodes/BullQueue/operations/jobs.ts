import type { IDataObject } from 'n8n-workflow';
import { readChoice, readNumber } from '../../shared/parameters';
import { operation } from '../operation';
import { JOB_STATES, readJobs, type JobPage } from '../queue/jobs';
import { describeJob } from './describeJob';

const MAX_LIMIT = 1000;
const MAX_OFFSET = 1_000_000;
const show = { operation: ['jobs'] };

/**
 * Get Jobs: one output item for each job of one state, a page at a time. Active jobs have their running time and their lock.
 * The job's data is included only on request.
 */
export const jobs = operation<JobPage & { includeData: boolean }>({
  properties: [
    {
      displayName: 'State',
      name: 'state',
      type: 'options',
      displayOptions: { show },
      options: [
        { name: 'Active', value: 'active', description: 'Jobs that are running, the longest running first' },
        {
          name: 'Completed',
          value: 'completed',
          description: 'Jobs that completed and were kept, the most recent first',
        },
        { name: 'Delayed', value: 'delayed', description: 'Jobs that are due later, the next due first' },
        { name: 'Failed', value: 'failed', description: 'Jobs that failed and were kept, the most recent first' },
        {
          name: 'Paused',
          value: 'paused',
          description: 'Jobs that are waiting in a paused queue, the next to run first',
        },
        { name: 'Waiting', value: 'waiting', description: 'Jobs that are waiting, the next to run first' },
      ],
      default: 'waiting',
    },
    {
      displayName: 'Limit',
      name: 'limit',
      type: 'number',
      typeOptions: { minValue: 1, maxValue: MAX_LIMIT },
      displayOptions: { show },
      default: 50,
      description: 'Max number of results to return',
    },
    {
      displayName: 'Offset',
      name: 'offset',
      type: 'number',
      typeOptions: { minValue: 0, maxValue: MAX_OFFSET },
      displayOptions: { show },
      default: 0,
      description: 'How many jobs to skip. The queue changes while you read it page by page.',
    },
    {
      displayName: 'Include Data',
      name: 'includeData',
      type: 'boolean',
      displayOptions: { show },
      default: false,
      description: 'Whether to also return the data and the result of each job',
    },
  ],

  read: (parameter) => ({
    state: readChoice('State', parameter('state'), JOB_STATES),
    limit: readNumber('Limit', parameter('limit'), { min: 1, max: MAX_LIMIT, integer: true, unit: 'jobs' }),
    offset: readNumber('Offset', parameter('offset'), { min: 0, max: MAX_OFFSET, integer: true, unit: 'jobs' }),
    includeData: parameter('includeData') === true,
  }),

  async execute({ includeData, ...page }, { connection }) {
    const found = await readJobs(connection, page);
    const at = Date.now();
    return found.map(({ job, lock }) => ({
      ...describeJob(job, page.state, at, lock),
      ...(includeData && { data: job.data as IDataObject, result: (job.returnvalue ?? null) as IDataObject | null }),
    }));
  },
});
