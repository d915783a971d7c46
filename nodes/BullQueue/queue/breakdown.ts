import { queueName } from './address';
import type { QueueConnection } from './connection';
import type { JobState } from './jobs';
import { readWithPriorities, type PriorityCount } from './priorities';
import { addIds, parseSnapshot, type ReadJob } from './snapshot';

/** The unfinished jobs of one workflow. */
export interface WorkflowCount {
  /** Null for jobs without the id: those of n8n below 1.0, or not of n8n. */
  workflowId: string | null;
  active: number;
  /** Waiting jobs, including those of a paused queue. */
  waiting: number;
  delayed: number;
  /** When the oldest of the waiting ones was added, in milliseconds since the epoch. */
  oldestWaiting?: number;
}

/** The unfinished jobs at one moment: by priority, and by workflow as far as they were read. */
export interface Breakdown {
  /** How many jobs are waiting, also those of a paused queue. */
  waiting: number;
  /** Number of waiting jobs of each priority with at least one job. */
  priorities: PriorityCount[];
  /** How many unfinished jobs there are, and how many of them were read. */
  total: number;
  read: number;
  /** The workflow with the most jobs first. */
  workflows: WorkflowCount[];
}

const STATES: JobState[] = ['active', 'waiting', 'paused', 'delayed'];

/**
 * Counts the unfinished jobs of each priority and of each workflow. All counts and ids are read in one transaction; then
 * the data of at most `limit` jobs is read: active ones first, then the next to run.
 */
export async function readBreakdown(connection: QueueConnection, limit: number): Promise<Breakdown> {
  const name = queueName(connection.address);
  const { priorities, answers } = await connection.ask((access) =>
    readWithPriorities(access, (reading) => addIds(reading, STATES, limit, name)),
  );
  const { total, counts, jobs } = parseSnapshot(connection, answers, STATES, limit, name);
  const read: ReadJob[] = [];
  for await (const page of jobs.pages()) read.push(...page);
  return {
    waiting: (counts.waiting ?? 0) + (counts.paused ?? 0),
    priorities: priorities.filter(({ waiting }) => waiting > 0),
    ...{ total, read: jobs.length, workflows: countByWorkflow(read) },
  };
}

/** Groups jobs by their workflow, the most jobs first. */
export function countByWorkflow(jobs: Array<Pick<ReadJob, 'state' | 'data' | 'timestamp'>>): WorkflowCount[] {
  const groups = new Map<string | null, WorkflowCount>();
  for (const { state, data, timestamp } of jobs) {
    const { workflowId: id } = (data ?? {}) as { workflowId?: unknown };
    const workflowId = typeof id === 'string' || typeof id === 'number' ? String(id) : null;
    const group = groups.get(workflowId) ?? { workflowId, active: 0, waiting: 0, delayed: 0 };
    groups.set(workflowId, group);
    if (state === 'active') group.active += 1;
    else if (state === 'delayed') group.delayed += 1;
    else {
      group.waiting += 1;
      group.oldestWaiting = Math.min(timestamp, group.oldestWaiting ?? timestamp);
    }
  }
  const countAll = ({ active, waiting, delayed }: WorkflowCount) => active + waiting + delayed;
  return [...groups.values()].sort((one, other) => countAll(other) - countAll(one));
}
