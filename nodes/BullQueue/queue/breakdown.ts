import type { QueueConnection } from './connection';
import type { JobState } from './jobs';
import { countPriorities, type PriorityCount } from './priorities';
import { readIds, type ReadJob } from './snapshot';

/** The unfinished jobs of one workflow. */
export interface WorkflowCount {
  /** Null for jobs that do not say: n8n below 1.0, or not of n8n. */
  workflowId: string | null;
  active: number;
  /** Also those of a paused queue. */
  waiting: number;
  delayed: number;
  /** When the oldest of the waiting ones was added, in milliseconds since the epoch. */
  oldestWaiting?: number;
}

/** The unfinished jobs by workflow, as far as they were read. */
export interface WorkflowCounts {
  /** How many unfinished jobs there are, and how many of them were read. */
  total: number;
  read: number;
  /** The workflow with the most jobs first. */
  workflows: WorkflowCount[];
}

/** Counts the unfinished jobs of each workflow. It reads at most `limit` jobs: active ones first, then the next to run. */
export async function countWorkflows(connection: QueueConnection, limit: number): Promise<WorkflowCounts> {
  const states: JobState[] = ['active', 'waiting', 'paused', 'delayed'];
  const { total, jobs } = await readIds(connection, states, limit);
  const read: ReadJob[] = [];
  for await (const page of jobs.pages()) read.push(...page);
  return { total, read: jobs.length, workflows: byWorkflow(read) };
}

/** Counts the waiting jobs of each priority, in a single request; see countPriorities. */
export const readPriorities = (connection: QueueConnection): Promise<PriorityCount[]> =>
  connection.ask(countPriorities);

/** Groups jobs by their workflow, the most jobs first. */
export function byWorkflow(jobs: Array<Pick<ReadJob, 'state' | 'data' | 'timestamp'>>): WorkflowCount[] {
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
  const size = ({ active, waiting, delayed }: WorkflowCount) => active + waiting + delayed;
  return [...groups.values()].sort((one, other) => size(other) - size(one));
}
