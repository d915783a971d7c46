import { queueName } from './address';
import type { Access, QueueConnection } from './connection';
import { readAnswers } from './counts';
import type { JobState } from './jobs';
import { parseLock, type Lock } from './lock';
import { readData, readIds, type ReadJob } from './snapshot';

/** Most jobs of each queue that are read to find the job of an execution. */
export const MAX_SEARCHED_JOBS = 10_000;

/** One job, as it was at one moment. */
export interface JobDetails {
  id: string;
  /** Null if the job is in no list: it was being moved by something other than Bull, or was lost. */
  state: JobState | null;
  data: unknown;
  /** When it was added, was taken by a worker and ended, in milliseconds since the epoch. */
  timestamp: number;
  processedOn?: number;
  finishedOn?: number;
  /** Number of earlier attempts; 0 for a job that runs for the first time. */
  attemptsMade: number;
  /** How often it was taken from a worker that had lost its lock. */
  stalledCount: number;
  /** The lower, the more urgent. 0 if it has none. */
  priority: number;
  failedReason?: string;
  /** What the worker last reported: a number, or a message of n8n. */
  progress: unknown;
  /** Only of an active job. */
  lock?: Lock;
}

const FIELDS = [
  ...['data', 'timestamp', 'processedOn', 'finishedOn', 'attemptsMade', 'stalledCounter', 'priority'],
  ...['failedReason', 'progress'],
];

/**
 * Reads one job in one transaction. Undefined if the queue does not hold it. Needs Redis 6.0.6 for LPOS.
 * @param name the queue, as `prefix:queue`; by default that of the connection
 */
export function readJob(
  connection: QueueConnection,
  id: string,
  name = queueName(connection.address),
): Promise<JobDetails | undefined> {
  return connection.ask(async ({ client }: Access) => {
    const key = `${name}:${id}`;
    const results = await client
      .multi()
      .hmget(key, ...FIELDS)
      .pttl(`${key}:lock`)
      .sismember(`${name}:stalled`, id)
      .lpos(`${name}:active`, id)
      .lpos(`${name}:wait`, id)
      .lpos(`${name}:paused`, id)
      .zscore(`${name}:delayed`, id)
      .zscore(`${name}:failed`, id)
      .zscore(`${name}:completed`, id)
      .exec();
    // The key of a list of Bull, such as `wait`.
    if (/WRONGTYPE/.test(results?.[0]?.[0]?.message ?? '')) return undefined;
    const [fields, pttl, isMarked, ...places] = readAnswers(results);
    const states: JobState[] = ['active', 'waiting', 'paused', 'delayed', 'failed', 'completed'];
    const state = states[places.findIndex((place) => place !== null)] ?? null;
    const job = parseDetails(id, state, fields as Array<string | null>);
    return job && state === 'active' ? { ...job, lock: parseLock(pttl, isMarked) } : job;
  });
}

function parseDetails(id: string, state: JobState | null, values: Array<string | null>): JobDetails | undefined {
  const field = new Map(FIELDS.map((name, i) => [name, values[i] ?? undefined]));
  const number = (name: string): number | undefined => {
    const text = field.get(name);
    return text === undefined ? undefined : Number(text);
  };
  const timestamp = number('timestamp');
  if (timestamp === undefined) return undefined;
  return {
    ...{ id, state, timestamp, data: readData(field.get('data')), progress: readData(field.get('progress')) },
    ...{ processedOn: number('processedOn'), finishedOn: number('finishedOn') },
    attemptsMade: number('attemptsMade') ?? 0,
    stalledCount: number('stalledCounter') ?? 0,
    priority: number('priority') ?? 0,
    failedReason: field.get('failedReason'),
  };
}

/**
 * Looks for the newest job of an execution: one that waited or was recovered has several. Of each queue it reads at most
 * SEARCHED_JOBS jobs, those that run first and those that have finished last.
 * @param names the queues, as `prefix:queue`
 * @returns the job; undefined if it was not among those that were read, which are all if `complete`
 */
export async function findJob(
  connection: QueueConnection,
  names: string[],
  executionId: string,
): Promise<{ job?: ReadJob; complete: boolean }> {
  const states: JobState[] = ['active', 'waiting', 'paused', 'delayed', 'failed', 'completed'];
  let newest: ReadJob | undefined;
  let complete = true;
  for (const name of names) {
    const { jobs, total } = await readIds(connection, states, MAX_SEARCHED_JOBS, name);
    for await (const page of jobs.pages()) {
      const found = page.filter(({ data }) => String((data as { executionId?: unknown })?.executionId) === executionId);
      for (const job of found) if (!newest || isNewer(job, newest)) newest = job;
    }
    complete &&= jobs.length === total;
  }
  return { job: newest, complete };
}

/** Jobs of one queue that were added in the same millisecond differ in their number. */
const isNewer = (job: ReadJob, other: ReadJob): boolean =>
  job.timestamp === other.timestamp ? Number(job.id) > Number(other.id) : job.timestamp > other.timestamp;
