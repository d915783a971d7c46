import type { Job } from 'bull';
import type { QueueConnection } from './connection';

/** The states of a job, as Bull's getters name them. */
export const JOB_STATES = ['waiting', 'active', 'delayed', 'paused', 'completed', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** A part of the jobs of one state. */
export interface JobPage {
  state: JobState;
  offset: number;
  limit: number;
}

/**
 * Reads a page of jobs: of those that wait the next to run first, of those that run the longest first, of delayed ones
 * the next due first, of finished ones the last first. Jobs that left the queue while it was read are not in it.
 */
export function readJobs(connection: QueueConnection, { state, offset, limit }: JobPage): Promise<Job[]> {
  const oldestFirst = state !== 'completed' && state !== 'failed';
  return connection.ask(async ({ queue }) => {
    const jobs = await queue.getJobs([state], offset, offset + limit - 1, oldestFirst);
    return jobs.filter(Boolean);
  });
}
