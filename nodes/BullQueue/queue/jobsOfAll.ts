import { queueName } from './address';
import { ANSWER_MS, type QueueConnection } from './connection';
import { findQueues, type ScanLimits } from './find';
import type { JobState } from './jobs';
import { readIds, type ReadJob } from './snapshot';

/** Limits of the search for queues. Every waiting job is a key, so a Redis with a large backlog has many. */
const SCAN: ScanLimits = { keys: 5_000_000, ms: 10_000 };

/** Most jobs that are read of each queue. */
export const MAX_JOBS = 100_000;

/** States of an unfinished job, in the order in which it moves through them. */
const UNFINISHED: JobState[] = ['delayed', 'waiting', 'paused', 'active'];

/** The queues of one n8n. */
export interface Queues {
  /** As `prefix:queue`. */
  names: string[];
  /** Whether all keys of Redis were scanned. */
  complete: boolean;
}

/**
 * n8n's queue without worker pools, and how it names those of pools after it: `jobs-reports` (read: 2.41.1, scaling/queue-
 * name.js).
 */
const BASE = 'jobs';

/** The queue of the connection first, and the others of the same n8n: its queue without a pool, and those of its worker pools. */
export async function findRelatedQueues(connection: QueueConnection): Promise<Queues> {
  const own = queueName(connection.address);
  const prefix = own.slice(0, own.lastIndexOf(':'));
  const { names, complete } = await findQueues(connection, { prefix, limits: SCAN, answerMs: SCAN.ms + ANSWER_MS });
  const base = own.startsWith(`${prefix}:${BASE}-`) ? `${prefix}:${BASE}` : own;
  const others = names.filter((name) => name.startsWith(`${base}-`) && name !== own);
  return { names: [own, ...(base === own ? [] : [base]), ...others], complete };
}

/** Reads the unfinished jobs of queues, at most MAX_JOBS of each. `complete` is true if these are all. */
export async function readUnfinished(
  connection: QueueConnection,
  names: string[],
): Promise<{ jobs: ReadJob[]; complete: boolean }> {
  const found: ReadJob[] = [];
  let complete = true;
  for (const name of names) {
    const { jobs, total } = await readIds(connection, UNFINISHED, MAX_JOBS, name);
    for await (const page of jobs.pages()) found.push(...page);
    complete &&= jobs.length === total;
  }
  return { jobs: found, complete };
}
