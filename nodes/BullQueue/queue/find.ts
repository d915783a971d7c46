import { Cluster, type Redis } from 'ioredis';
import { performance } from 'node:perf_hooks';
import { queueName, redisName } from './address';
import type { QueueConnection } from './connection';
import { QueueProblem } from './problem';

/** Limits for scanning a Redis that holds many other keys. */
const SCANNED_KEYS = 100_000;
const SCAN_MS = 1000;
/** Most keys of which is looked at whether they are a counter of Bull. */
const CANDIDATES = 1000;
/** Number of queues that a message names. */
const NAMED = 5;

/** The queues that were found. */
export interface FoundQueues {
  /** As `prefix:queue`, in alphabetical order. */
  names: string[];
  /** Whether all keys were looked at. */
  complete: boolean;
}

/**
 * Warns of a wrong prefix. It looks like a queue that never had a job, so if the queue never had one, queues of the same
 * name with another prefix are searched for. If there are none, the queue is taken for a new one.
 * @param answerMs time limit for the whole check, in milliseconds
 * @returns a warning that names the other queues; undefined if there are none
 */
export async function prefixWarning(connection: QueueConnection, answerMs: number): Promise<QueueProblem | undefined> {
  const { address } = connection;
  const end = performance.now() + answerMs;
  if (await connection.ask(({ queue, client }) => client.exists(queue.toKey('id')), answerMs)) return undefined;
  const { names } = await findQueues(connection, { answerMs: Math.max(1, end - performance.now()) });
  const namesakes = names.filter((name) => name.endsWith(`:${address.queue}`));
  if (namesakes.length === 0) return undefined;
  return new QueueProblem(
    'prefix',
    `No job was ever added to ${queueName(address)} in ${redisName(address)}, but to ${listed(namesakes)}`,
    'If that is the queue of n8n, correct the prefix: use the value of QUEUE_BULL_PREFIX of n8n.',
  );
}

/**
 * The queues of this database that ever had a job, of one prefix or of all. Every key `prefix:queue:id` that holds a number
 * counts as one. It scans at most 100,000 keys, for at most a second (in a cluster, on each node), and looks into at most
 * 1000 of them, so it may miss some.
 */
export function findQueues(
  connection: QueueConnection,
  { prefix, answerMs }: { prefix?: string; answerMs?: number } = {},
): Promise<FoundQueues> {
  const pattern = prefix === undefined ? '*?:?*:id' : `${escaped(prefix)}:?*:id`;
  return connection.ask(async ({ client }) => {
    const nodes = client instanceof Cluster ? client.nodes('master') : [client];
    const scans = await Promise.all(nodes.map((node) => scan(node, pattern)));
    // SCAN may return a key twice.
    const keys = [...new Set(scans.flatMap(({ keys }) => keys))].sort();
    const candidates = keys.slice(0, CANDIDATES);
    const counters = await Promise.all(candidates.map((key) => client.get(key).catch(refused)));
    const names = candidates
      .filter((_, i) => /^\d+$/.test(counters[i] ?? ''))
      .map((key) => key.slice(0, -':id'.length));
    return { names: names.sort(), complete: keys.length <= CANDIDATES && scans.every(({ complete }) => complete) };
  }, answerMs);
}

/** A key that is no text, or that the user may not read, is no queue to show. Other errors are thrown. */
function refused(error: Error): null {
  if (/WRONGTYPE|NOPERM/.test(error.message)) return null;
  throw error;
}

async function scan(node: Redis, pattern: string): Promise<{ keys: string[]; complete: boolean }> {
  const found: string[] = [];
  const end = performance.now() + SCAN_MS;
  let cursor = '0';
  for (let scanned = 0; scanned < SCANNED_KEYS && performance.now() < end; scanned += 1000) {
    const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', 1000);
    found.push(...keys);
    cursor = next;
    if (cursor === '0') return { keys: found, complete: true };
  }
  return { keys: found, complete: false };
}

/** The text as a pattern of Redis that matches it and nothing else. */
const escaped = (text: string): string => text.replace(/[\\*?[\]^]/g, '\\$&');

/** `a:jobs, b:jobs and 3 more` */
export function listed(names: string[]): string {
  const more = names.length - NAMED;
  return names.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
