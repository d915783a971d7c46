import type { Job } from 'bull';
import type { QueueConnection } from './connection';

/** The states of a job, with the names of Bull's getters. */
export const JOB_STATES = ['waiting', 'active', 'delayed', 'paused', 'completed', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** A page of the jobs of one state. */
export interface JobPage {
  state: JobState;
  offset: number;
  limit: number;
}

/**
 * Reads a page of jobs. Order: waiting jobs, the next to run first; active jobs, the longest running first; delayed jobs,
 * the next due first; finished jobs, the most recent first. Jobs that leave the queue while it is read are left out.
 */
export function readJobs(connection: QueueConnection, { state, offset, limit }: JobPage): Promise<Job[]> {
  const oldestFirst = state !== 'completed' && state !== 'failed';
  return connection.ask(async ({ queue }) => {
    const jobs = await queue.getJobs([state], offset, offset + limit - 1, oldestFirst);
    return jobs.filter(Boolean);
  });
}
