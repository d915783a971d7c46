import { queueName, redisName } from './address';
import type { QueueConnection } from './connection';
import { readCounts, type Counts } from './counts';
import { QueueProblem } from './problem';

/**
 * Pauses or resumes the whole queue, with Bull's own script: it renames the list `wait` to `paused` or back and sets or
 * deletes `meta-paused`. Does nothing if the queue is in that state already.
 * @returns the counts afterwards, and whether anything was changed
 * @throws QueueProblem if jobs would be lost: the script replaces the list that it renames to
 */
export async function setPaused(
  connection: QueueConnection,
  isPaused: boolean,
): Promise<{ counts: Counts; changed: boolean }> {
  const before = await readCounts(connection);
  if (before.isPaused === isPaused) return { counts: before, changed: false };
  const inTheWay = isPaused ? before.paused : before.waiting;
  if (inTheWay > 0) {
    const { address } = connection;
    throw new QueueProblem(
      'inconsistent',
      `${queueName(address)} in ${redisName(address)} has ${inTheWay} jobs in the list "${isPaused ? 'paused' : 'wait'}" ` +
        `while it is ${isPaused ? 'not paused' : 'paused'}. They would be lost, so nothing was changed`,
      'Something other than Bull has written to the queue. Move these jobs to the other list first.',
    );
  }
  await connection.ask(({ queue }) => (isPaused ? queue.pause() : queue.resume()));
  return { counts: await readCounts(connection), changed: true };
}
