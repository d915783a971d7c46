import type { Job } from 'bull';
import type { QueueConnection } from './connection';
import { readAnswers } from './counts';
import { parseLock, type Lock } from './lock';

/** The states of a job, with the names of Bull's getters. */
export const JOB_STATES = ['waiting', 'active', 'delayed', 'paused', 'completed', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** A page of the jobs of one state. */
export interface JobPage {
  state: JobState;
  offset: number;
  limit: number;
}

/** A job; if it is active, with its lock. */
export interface ListedJob {
  job: Job;
  lock?: Lock;
}

/**
 * Reads a page of jobs. Order: waiting jobs, the next to run first; active jobs, the longest running first; delayed jobs,
 * the next due first; finished jobs, the most recent first. Jobs that leave the queue while it is read are left out.
 */
export async function readJobs(connection: QueueConnection, page: JobPage): Promise<ListedJob[]> {
  const { state, offset, limit } = page;
  const oldestFirst = state !== 'completed' && state !== 'failed';
  const jobs = await connection.ask(async ({ queue }) => {
    const found = await queue.getJobs([state], offset, offset + limit - 1, oldestFirst);
    return found.filter(Boolean);
  });
  return state === 'active' ? withLocks(connection, jobs) : jobs.map((job) => ({ job }));
}

/** Adds the locks. Leaves out the jobs that have ended since they were read, because they have none any more. */
function withLocks(connection: QueueConnection, jobs: Job[]): Promise<ListedJob[]> {
  return connection.ask(async ({ queue }) => {
    const reading = queue.multi();
    for (const { id } of jobs) {
      const key = queue.toKey(String(id));
      reading.hmget(key, 'timestamp', 'finishedOn');
      reading.pttl(`${key}:lock`);
      reading.sismember(queue.toKey('stalled'), String(id));
    }
    const answers = readAnswers(await reading.exec());
    return jobs.flatMap((job, i) => {
      const [times, pttl, isMarked] = answers.slice(3 * i, 3 * i + 3);
      const [timestamp, finishedOn] = times as Array<string | null>;
      return timestamp && !finishedOn ? [{ job, lock: parseLock(pttl, isMarked) }] : [];
    });
  });
}
