import type { QueueConnection } from './connection';

/** How many jobs are in each state, all at one moment. */
export interface Counts {
  waiting: number;
  active: number;
  delayed: number;
  /** Waiting in a queue that is paused: Bull then keeps in another list what would be `waiting`. */
  paused: number;
  /** Completed and failed jobs that are kept; by n8n's defaults none is. */
  completed: number;
  failed: number;
  /** Jobs ever added. */
  added: number;
  /** The queue is paused as a whole; a worker that is paused does not show. */
  isPaused: boolean;
}

/** Jobs that are not finished: waiting, active, delayed or paused. */
export const pending = ({
  waiting,
  active,
  delayed,
  paused,
}: Pick<Counts, 'waiting' | 'active' | 'delayed' | 'paused'>): number => waiting + active + delayed + paused;

/** Jobs that have ended, one way or the other, kept or not. */
export const finished = (counts: Counts): number => Math.max(0, counts.added - pending(counts));

/** Counts the jobs in one transaction. A queue that never had a job counts as empty. */
export function readCounts(connection: QueueConnection): Promise<Counts> {
  return connection.ask(async ({ queue }) => {
    const answers = await queue
      .multi()
      .llen(queue.toKey('wait'))
      .llen(queue.toKey('active'))
      .zcard(queue.toKey('delayed'))
      .llen(queue.toKey('paused'))
      .zcard(queue.toKey('completed'))
      .zcard(queue.toKey('failed'))
      .get(queue.toKey('id'))
      .exists(queue.toKey('meta-paused'))
      .exec();
    const numbers = (answers ?? []).map(([error, value]) => {
      if (error) throw error;
      return Number(value ?? 0);
    });
    const [waiting = 0, active = 0, delayed = 0, paused = 0, completed = 0, failed = 0, added = 0, marks = 0] = numbers;
    return { waiting, active, delayed, paused, completed, failed, added, isPaused: marks > 0 };
  });
}
