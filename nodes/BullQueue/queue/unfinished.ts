import type { QueueConnection } from './connection';
import { readAnswers, type Unfinished } from './counts';

/** Most active jobs whose data is read. Jobs beyond this number are never left out. */
const MAX_CHECKED = 1000;

/** The data of a job, as it was added: anything, or undefined if the job has ended. */
type LeaveOut = (data: unknown) => boolean;

/**
 * Returns a function that counts the unfinished jobs, without the active jobs whose data `leaveOut` accepts. The counts
 * and the ids of the active jobs are read in one transaction: in two readings a job that is left out could start while
 * another ends, and a queue at work would look drained. The data of each job is read once.
 */
export function createUnfinishedReader(connection: QueueConnection, leaveOut: LeaveOut): () => Promise<Unfinished> {
  let known = new Map<string, boolean>();
  return () =>
    connection.ask(async ({ queue }) => {
      const results = await queue
        .multi()
        .llen(queue.toKey('wait'))
        .llen(queue.toKey('active'))
        .zcard(queue.toKey('delayed'))
        .llen(queue.toKey('paused'))
        .lrange(queue.toKey('active'), 0, MAX_CHECKED - 1)
        .exec();
      const answers = readAnswers(results);
      const [waiting = 0, active = 0, delayed = 0, paused = 0] = answers.slice(0, 4).map(Number);
      const ids = (answers[4] ?? []) as string[];
      const isLeftOut = async (id: string) => known.get(id) ?? leaveOut((await queue.getJob(id))?.data);
      known = new Map(await Promise.all(ids.map(async (id) => [id, await isLeftOut(id)] as const)));
      const leftOut = ids.filter((id) => known.get(id)).length;
      return { waiting, active: active - leftOut, delayed, paused };
    });
}
