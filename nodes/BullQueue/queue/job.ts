import type { Access, QueueConnection } from './connection';
import { answersOf } from './counts';
import type { JobState } from './jobs';
import { lockOf, type Lock } from './lock';
import { readData, readIds } from './snapshot';

/** Most jobs that are read to find the job of an execution. */
export const SEARCHED_JOBS = 10_000;

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
  /** How often it was tried. A job that runs for the first time has 0. */
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

/** Reads one job in one transaction. Undefined if the queue does not hold it. Needs Redis 6.0.6 for LPOS. */
export function readJob(connection: QueueConnection, id: string): Promise<JobDetails | undefined> {
  return connection.ask(async ({ queue }: Access) => {
    const key = queue.toKey(id);
    const results = await queue
      .multi()
      .hmget(key, ...FIELDS)
      .pttl(`${key}:lock`)
      .sismember(queue.toKey('stalled'), id)
      .lpos(queue.toKey('active'), id)
      .lpos(queue.toKey('wait'), id)
      .lpos(queue.toKey('paused'), id)
      .zscore(queue.toKey('delayed'), id)
      .zscore(queue.toKey('failed'), id)
      .zscore(queue.toKey('completed'), id)
      .exec();
    // The key of a list of Bull, such as `wait`.
    if (/WRONGTYPE/.test(results?.[0]?.[0]?.message ?? '')) return undefined;
    const [fields, pttl, isMarked, ...places] = answersOf(results);
    const states: JobState[] = ['active', 'waiting', 'paused', 'delayed', 'failed', 'completed'];
    const state = states[places.findIndex((place) => place !== null)] ?? null;
    const job = detailsOf(id, state, fields as Array<string | null>);
    return job && state === 'active' ? { ...job, lock: lockOf(pttl, isMarked) } : job;
  });
}

function detailsOf(id: string, state: JobState | null, values: Array<string | null>): JobDetails | undefined {
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
 * Looks for the job of an execution among the ids of one moment, those that run first. It reads at most SEARCHED_JOBS jobs.
 * @returns its id; undefined if it was not among the jobs that were read, which are all if `complete`
 */
export async function findJob(
  connection: QueueConnection,
  executionId: string,
): Promise<{ id?: string; complete: boolean }> {
  const states: JobState[] = ['active', 'waiting', 'paused', 'delayed', 'failed', 'completed'];
  const { jobs, total } = await readIds(connection, states, SEARCHED_JOBS);
  for await (const page of jobs.pages()) {
    const found = page.find(({ data }) => String((data as { executionId?: unknown })?.executionId) === executionId);
    if (found) return { id: found.id, complete: true };
  }
  return { complete: jobs.length === total };
}
