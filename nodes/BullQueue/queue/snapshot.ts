import type { ChainableCommander } from 'ioredis';
import { queueName } from './address';
import type { QueueConnection } from './connection';
import { readAnswers } from './counts';
import type { JobState } from './jobs';

/** Number of jobs that are read with one request. */
const PAGE = 1000;
/**
 * How Bull keeps the jobs of a state: a list, whose end is read first, or a sorted set, and which end of it is read first.
 */
type Kept = 'list' | 'ascending' | 'descending';
/** The key of each state. Of finished jobs the most recent are read first. */
const KEYS: Record<JobState, { key: string; kept: Kept }> = {
  waiting: { key: 'wait', kept: 'list' },
  paused: { key: 'paused', kept: 'list' },
  active: { key: 'active', kept: 'list' },
  delayed: { key: 'delayed', kept: 'ascending' },
  completed: { key: 'completed', kept: 'descending' },
  failed: { key: 'failed', kept: 'descending' },
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
  /** Number of jobs by state. */
  counts: Partial<Record<JobState, number>>;
  jobs: {
    /** Number of jobs that are read, at most the limit. */
    length: number;
    /** Reads them, page by page. Jobs that have left the queue since are left out. */
    pages(): AsyncIterable<ReadJob[]>;
  };
}

/**
 * Takes a snapshot of the ids of all jobs in these states in one transaction, so that none is missed or there twice while
 * jobs move. Beyond `limit` jobs it is cut: states in the order given, and of each the jobs whose turn is next,
 * or that have finished last.
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
    return readAnswers(await reading.exec());
  });
  return parseSnapshot(connection, answers, states, limit, name);
}

/** Adds the commands of a snapshot to a transaction. */
export function addIds(reading: ChainableCommander, states: JobState[], limit: number, name: string): void {
  for (const state of states) {
    const { kept } = KEYS[state];
    const key = `${name}:${KEYS[state].key}`;
    if (kept === 'list') reading.llen(key).lrange(key, -limit, -1);
    else if (kept === 'ascending') reading.zcard(key).zrange(key, 0, limit - 1);
    else reading.zcard(key).zrevrange(key, 0, limit - 1);
  }
}

/** The snapshot that the answers to the commands of `addIds` hold. */
export function parseSnapshot(
  connection: QueueConnection,
  answers: unknown[],
  states: JobState[],
  limit: number,
  name: string,
): Snapshot {
  const counts = Object.fromEntries(states.map((state, i) => [state, Number(answers[2 * i])]));
  const all = states.flatMap((state, i) => {
    const ids = answers[2 * i + 1] as string[];
    return (KEYS[state].kept === 'list' ? [...ids].reverse() : ids).map((id) => ({ id, state }));
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
    const answers = readAnswers(await reading.exec()) as Array<[data: string | null, timestamp: string | null]>;
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
