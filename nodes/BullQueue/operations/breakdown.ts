import type { IDataObject } from 'n8n-workflow';
import { readNumber } from '../../shared/parameters';
import { operation } from '../operation';
import { queueName } from '../queue/address';
import { readBreakdown, type Breakdown } from '../queue/breakdown';

const MAX_JOBS = 10_000;

/** Get Breakdown: one output item with the unfinished jobs by priority and by workflow. */
export const breakdown = operation<{ maxJobs: number }>({
  properties: [
    {
      displayName: 'Max Jobs',
      name: 'maxJobs',
      type: 'number',
      typeOptions: { minValue: 1, maxValue: MAX_JOBS },
      displayOptions: { show: { operation: ['breakdown'] } },
      default: 1000,
      description:
        'How many jobs to read for the counts by workflow, at most 10,000. The output says if there are more.',
    },
  ],

  read: (parameter) => ({
    maxJobs: readNumber('Max Jobs', parameter('maxJobs'), { min: 1, max: MAX_JOBS, integer: true, unit: 'jobs' }),
  }),

  async execute({ maxJobs }, { connection }) {
    const found = await readBreakdown(connection, maxJobs);
    return [
      {
        queue: queueName(connection.address),
        byPriority: describePriorities(found),
        ...describeWorkflows(found, Date.now()),
      },
    ];
  },
});

/** The counts by priority. Other waiting jobs have no priority, or one that was not read: `priority: null`. */
function describePriorities({ priorities, waiting }: Breakdown): IDataObject[] {
  const others = waiting - priorities.reduce((sum, count) => sum + count.waiting, 0);
  return [...priorities.map((count) => ({ ...count })), ...(others > 0 ? [{ priority: null, waiting: others }] : [])];
}

function describeWorkflows({ total, read, workflows }: Breakdown, at: number): IDataObject {
  return {
    jobs: total,
    read,
    complete: read === total,
    ...(read < total && {
      note: `The counts by workflow are those of ${read} of ${total} jobs: active ones first, then the next to run.`,
    }),
    byWorkflow: workflows.map(({ oldestWaiting, ...counts }) => ({
      ...counts,
      oldestWaitingAgeMs: oldestWaiting === undefined ? null : Math.max(0, at - oldestWaiting),
    })),
  };
}
