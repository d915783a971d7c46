import { queueName, redisName } from './address';
import type { QueueConnection } from './connection';
import { readCounts, type Counts } from './counts';
import { QueueProblem } from './problem';

/**
 * Pauses or resumes the whole queue, with Bull's own script: it renames the list `wait` to `paused` or back and sets or
 * deletes `meta-paused`. Does nothing if the queue is in that state already.
 * @returns the counts afterwards, and whether anything was changed
 * @throws QueueProblem if jobs would be lost: the script replaces the list that it renames to; `unknown` if Redis did not
 * answer after the script was sent
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
  try {
    await connection.ask(({ queue }) => (isPaused ? queue.pause() : queue.resume()));
    return { counts: await readCounts(connection), changed: true };
  } catch (error) {
    throw isRefusal(error) ? error : unknownState(connection, error as Error);
  }
}

/** Whether Redis has answered that it does not run the script. */
const isRefusal = (error: unknown): boolean => error instanceof QueueProblem && error.code === 'permission';

/** The error of a script without an answer. Redis may still run it. */
const unknownState = ({ address }: QueueConnection, { message }: Error): QueueProblem =>
  new QueueProblem(
    'unknown',
    `It is unknown whether ${queueName(address)} is paused: ${message}`,
    'Run Resume Queue until it answers, or no job may start.',
  );
