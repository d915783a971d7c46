import type { ChainableCommander } from 'ioredis';
import { queueName } from './address';
import type { QueueConnection } from './connection';
import { answersOf } from './counts';
import type { JobState } from './jobs';

/** Number of jobs that are read with one request. */
const PAGE = 1000;
/** The key of each state, and whether it is a list, whose end is the oldest, or a sorted set. */
const KEYS: Record<JobState, { key: string; list: boolean }> = {
  waiting: { key: 'wait', list: true },
  paused: { key: 'paused', list: true },
  active: { key: 'active', list: true },
  delayed: { key: 'delayed', list: false },
  completed: { key: 'completed', list: false },
  failed: { key: 'failed', list: false },
};

/** A job that was read. */
export interface ReadJob {
  /** The queue that holds it, as `prefix:queue`. */
  queue: string;
  id: string;
  state: JobState;
  /** The data with which it was added; undefined if it is not JSON. */
  data: unknown;
  /** When it was added, in milliseconds since the epoch. */
  timestamp: number;
}

/** The jobs of some states at one moment. */
export interface Snapshot {
  /** How many jobs there are in all, also beyond the limit. */
  total: number;
  /** The same by state. */
  counts: Partial<Record<JobState, number>>;
  jobs: {
    /** How many of them are read: at most the limit. */
    length: number;
    /** Reads them, page by page. Jobs that have left the queue since are left out. */
    pages(): AsyncIterable<ReadJob[]>;
  };
}

/**
 * Takes a snapshot of the ids of all jobs in these states in one transaction, so that none is missed or there twice while
 * jobs move. Beyond `limit` jobs it is cut: states in the order given, and of each the jobs whose turn is next.
 * @param name the queue, as `prefix:queue`; by default that of the connection
 */
export async function readIds(
  connection: QueueConnection,
  states: JobState[],
  limit: number,
  name = queueName(connection.address),
): Promise<Snapshot> {
  const answers = await connection.ask(async ({ client }) => {
    const reading = client.multi();
    addIds(reading, states, limit, name);
    return answersOf(await reading.exec());
  });
  return snapshotOf(connection, answers, states, limit, name);
}

/** Adds the commands of a snapshot to a transaction. */
export function addIds(reading: ChainableCommander, states: JobState[], limit: number, name: string): void {
  for (const { key, list } of states.map((state) => KEYS[state])) {
    if (list) reading.llen(`${name}:${key}`).lrange(`${name}:${key}`, -limit, -1);
    else reading.zcard(`${name}:${key}`).zrange(`${name}:${key}`, 0, limit - 1);
  }
}

/** The snapshot that the answers to the commands of `addIds` hold. */
export function snapshotOf(
  connection: QueueConnection,
  answers: unknown[],
  states: JobState[],
  limit: number,
  name: string,
): Snapshot {
  const counts = Object.fromEntries(states.map((state, i) => [state, Number(answers[2 * i])]));
  const all = states.flatMap((state, i) => {
    const ids = answers[2 * i + 1] as string[];
    return (KEYS[state].list ? [...ids].reverse() : ids).map((id) => ({ id, state }));
  });
  const ids = all.slice(0, limit);
  const pages = async function* () {
    for (let from = 0; from < ids.length; from += PAGE) yield readPage(connection, name, ids.slice(from, from + PAGE));
  };
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { total, counts, jobs: { length: ids.length, pages } };
}

type ListedId = { id: string; state: JobState };

function readPage(connection: QueueConnection, name: string, ids: ListedId[]): Promise<ReadJob[]> {
  return connection.ask(async ({ client }) => {
    const reading = client.pipeline();
    for (const { id } of ids) reading.hmget(`${name}:${id}`, 'data', 'timestamp');
    const answers = answersOf(await reading.exec()) as Array<[data: string | null, timestamp: string | null]>;
    return ids.flatMap((job, i) => {
      const [data, timestamp] = answers[i] ?? [null, null];
      return timestamp === null ? [] : [{ queue: name, ...job, data: readData(data), timestamp: Number(timestamp) }];
    });
  });
}

/** Parses JSON of a job; undefined if the text is not JSON. The text is never shown: it may be the data of an execution. */
export function readData(text: string | null | undefined): unknown {
  try {
    return text === null || text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
