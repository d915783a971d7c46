import type { QueueConnection } from './connection';
import { countPriorities } from './priorities';

/**
 * The time at which the oldest waiting job was added, in milliseconds since the epoch, or undefined if none is waiting.
 * Jobs of a paused queue are waiting, too.
 *
 * Bull keeps waiting jobs in one list, ordered by priority and then by age, with the next job at its end. The oldest job is
 * therefore the last one of the list, or the last one of another priority; its position follows from the number of more
 * urgent jobs. Jobs with a 17th or later priority are not checked.
 */
export function oldestWaiting(connection: QueueConnection): Promise<number | undefined> {
  return connection.ask(async (access) => {
    const { queue, client } = access;
    const places = [-1];
    for (const { waiting } of await countPriorities(access)) places.push(places[places.length - 1]! - waiting);
    const lists = ['wait', 'paused'].map((list) => queue.toKey(list));
    const ids = await Promise.all(lists.flatMap((key) => places.map((place) => client.lindex(key, place))));
    const jobs = ids.filter((id) => id !== null).map((id) => queue.toKey(id));
    const added = await Promise.all(jobs.map((job) => client.hget(job, 'timestamp')));
    const times = added.filter((time) => time !== null).map(Number);
    return times.length === 0 ? undefined : Math.min(...times);
  });
}
