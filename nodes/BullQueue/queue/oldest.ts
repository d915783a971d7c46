import type { QueueConnection } from './connection';
import { readAnswers } from './counts';
import { MAX_MOVED, readWithPriorities, type PriorityCount } from './priorities';

/**
 * How many jobs are read before and after each place. More than MAX_MOVED, because a job that a worker has just taken is
 * in the sorted set of the priorities a moment longer than in the list.
 */
const REACH = 2 * MAX_MOVED;

/**
 * The time at which the oldest waiting job was added, in milliseconds since the epoch, or undefined if none is waiting.
 * Jobs of a paused queue are waiting, too.
 *
 * Bull keeps waiting jobs in one list, ordered by priority and then by age, with the next job at its end. The oldest job is
 * therefore the last one of the list, or the last one of another priority; its position follows from the number of more
 * urgent jobs. The jobs around these positions are read in one transaction with the numbers. Jobs with a 17th or later
 * priority are not checked.
 */
export function oldestWaiting(connection: QueueConnection): Promise<number | undefined> {
  return connection.ask(async (access) => {
    const { queue, client } = access;
    const lists = ['wait', 'paused'].map((list) => queue.toKey(list));
    const { answers } = await readWithPriorities(access, (reading, expected) => {
      for (const list of lists) {
        for (const place of oldestPositions(expected)) reading.lrange(list, place - REACH, Math.min(place + REACH, -1));
      }
    });
    const ids = new Set((answers as string[][]).flat());
    if (ids.size === 0) return undefined;
    const reading = client.pipeline();
    for (const id of ids) reading.hget(queue.toKey(id), 'timestamp');
    const times = readAnswers(await reading.exec()).filter((time) => time !== null);
    return times.length === 0 ? undefined : Math.min(...times.map(Number));
  });
}

/** Where the oldest job of each priority is, and of those without one, counted from the end of the list: -1 is the last. */
function oldestPositions(priorities: PriorityCount[]): number[] {
  const places = [-1];
  for (const { waiting } of priorities) places.push(places[places.length - 1]! - waiting);
  return places;
}
