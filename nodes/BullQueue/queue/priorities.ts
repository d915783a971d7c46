import type { Access } from './connection';

/** Number of priorities that are looked at, the most urgent first. n8n uses two: 50 and 100. */
const PRIORITIES = 16;

/** How many waiting jobs have a priority. The lowest number is the most urgent. */
export interface PriorityCount {
  priority: number;
  waiting: number;
}

/**
 * Counts the waiting jobs of each priority, the most urgent first, without reading the jobs: Bull keeps them in a sorted set
 * as well. Jobs of a paused queue are waiting, too. Jobs without a priority are not in the set; a 17th or later priority is
 * not counted.
 */
export async function countPriorities({ queue, client }: Access): Promise<PriorityCount[]> {
  const key = queue.toKey('priority');
  const counts: PriorityCount[] = [];
  let urgency = '-inf';
  while (counts.length < PRIORITIES) {
    const [, priority] = await client.zrangebyscore(key, urgency, '+inf', 'WITHSCORES', 'LIMIT', 0, 1);
    if (priority === undefined) break;
    counts.push({ priority: Number(priority), waiting: await client.zcount(key, priority, priority) });
    urgency = `(${priority}`;
  }
  return counts;
}
