import { queueName } from './address';
import type { QueueConnection } from './connection';

/** The answers to the commands of a transaction or pipeline, in their order. Throws the first error. */
export const readAnswers = (results: [error: Error | null, answer: unknown][] | null): unknown[] =>
  (results ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });

/** How many jobs are in each state at one moment. */
export interface Counts {
  waiting: number;
  active: number;
  delayed: number;
  /** Jobs that wait in a paused queue. Bull keeps them in a separate list. */
  paused: number;
  /** Completed and failed jobs that were kept. By default n8n keeps none. */
  completed: number;
  failed: number;
  /** Number of jobs ever added. */
  added: number;
  /** Whether the whole queue is paused. A paused worker does not count. */
  isPaused: boolean;
}

/** How many jobs are not finished, by state. */
export type Unfinished = Pick<Counts, 'waiting' | 'active' | 'delayed' | 'paused'>;

/** Number of jobs that are not finished: waiting, active, delayed or paused. */
export const countPending = ({ waiting, active, delayed, paused }: Unfinished): number =>
  waiting + active + delayed + paused;

/** Number of jobs that have ended: completed or failed, kept or not. */
export const countFinished = (counts: Counts): number => Math.max(0, counts.added - countPending(counts));

/**
 * Counts the jobs in one transaction. A queue that never had a job counts as empty.
 * @param name the queue, as `prefix:queue`; by default that of the connection
 */
export function readCounts(connection: QueueConnection, name = queueName(connection.address)): Promise<Counts> {
  return connection.ask(async ({ client }) => {
    const results = await client
      .multi()
      .llen(`${name}:wait`)
      .llen(`${name}:active`)
      .zcard(`${name}:delayed`)
      .llen(`${name}:paused`)
      .zcard(`${name}:completed`)
      .zcard(`${name}:failed`)
      .get(`${name}:id`)
      .exists(`${name}:meta-paused`)
      .exec();
    const numbers = readAnswers(results).map(Number);
    const [waiting = 0, active = 0, delayed = 0, paused = 0, completed = 0, failed = 0, added = 0, marks = 0] = numbers;
    return { waiting, active, delayed, paused, completed, failed, added, isPaused: marks > 0 };
  });
}
