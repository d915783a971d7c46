import type { QueueConnection } from './connection';

/** Number of priorities that are checked, the most urgent first. n8n uses two. */
const PRIORITIES = 16;

/**
 * The time at which the oldest waiting job was added, in milliseconds since the epoch, or undefined if none is waiting.
 * Jobs of a paused queue are waiting, too.
 *
 * Bull keeps waiting jobs in one list, ordered by priority and then by age, with the next job at its end. The oldest job is
 * therefore the last one of the list, or the last one of another priority; its position follows from the number of more
 * urgent jobs. Jobs with a 17th or later priority are not checked.
 */
export function oldestWaiting(connection: QueueConnection): Promise<number | undefined> {
  return connection.ask(async ({ queue, client }) => {
    const priorityKey = queue.toKey('priority');
    const places = [-1];
    let urgency = '-inf';
    while (places.length <= PRIORITIES) {
      const [, next] = await client.zrangebyscore(priorityKey, urgency, '+inf', 'WITHSCORES', 'LIMIT', 0, 1);
      if (next === undefined) break;
      const asUrgent = await client.zcount(priorityKey, '-inf', next);
      places.push(-1 - asUrgent);
      urgency = `(${next}`;
    }
    const lists = ['wait', 'paused'].map((list) => queue.toKey(list));
    const ids = await Promise.all(lists.flatMap((key) => places.map((place) => client.lindex(key, place))));
    const jobs = ids.filter((id) => id !== null).map((id) => queue.toKey(id));
    const added = await Promise.all(jobs.map((job) => client.hget(job, 'timestamp')));
    const times = added.filter((time) => time !== null).map(Number);
    return times.length === 0 ? undefined : Math.min(...times);
  });
}
