import type { ChainableCommander } from 'ioredis';
import type { Access } from './connection';
import { readAnswers } from './counts';

/** Number of priorities that are read, the most urgent first. n8n uses two: 50 and 100. */
const PRIORITIES = 16;
/** How many jobs may move between the counts that were expected and those of the transaction. */
export const MAX_MOVED = 16;
/** Most attempts of a transaction. The last one counts, even if more jobs have moved. */
const TRIES = 5;

/** How many waiting jobs have a priority. The lowest number is the most urgent. */
export interface PriorityCount {
  priority: number;
  waiting: number;
}

/** The answers of one transaction. */
export interface PriorityReading {
  /** The counts, the most urgent first; 0 if the last job of a priority has just left. */
  priorities: PriorityCount[];
  /** The answers to the commands that were added to the transaction. */
  answers: unknown[];
}

/**
 * Counts the waiting jobs of each priority without reading the jobs, in one transaction with further commands: Bull keeps
 * the jobs in a sorted set as well. Jobs of a paused queue are waiting, too. Jobs without a priority are not in the set; a
 * 17th or later priority is not counted.
 *
 * A transaction cannot find out which priorities there are, so they are listed before it. It is repeated if a new priority
 * was added in between, or more than MAX_MOVED jobs have moved.
 * @param add adds the further commands; it is given the counts that are expected
 */
export async function readWithPriorities(
  access: Access,
  add: (reading: ChainableCommander, expected: PriorityCount[]) => void,
): Promise<PriorityReading> {
  const key = access.queue.toKey('priority');
  let expected = await listPriorities(access);
  for (let left = TRIES - 1; ; left--) {
    const reading = access.client.multi().zcard(key);
    for (const { priority } of expected) reading.zcount(key, priority, priority);
    add(reading, expected);
    const [all, ...answers] = readAnswers(await reading.exec());
    const priorities = expected.map(({ priority }, i) => ({ priority, waiting: Number(answers[i]) }));
    const counted = priorities.reduce((sum, { waiting }) => sum + waiting, 0);
    const isComplete = expected.length === PRIORITIES || counted === Number(all);
    const moved = priorities.reduce((sum, { waiting }, i) => sum + Math.abs(waiting - expected[i]!.waiting), 0);
    if ((isComplete && moved <= MAX_MOVED) || left === 0)
      return { priorities, answers: answers.slice(expected.length) };
    expected = isComplete ? priorities : await listPriorities(access);
  }
}

/** The priorities, with their counts. Jobs may move while it reads. */
async function listPriorities({ queue, client }: Access): Promise<PriorityCount[]> {
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
