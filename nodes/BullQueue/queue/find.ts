import { Cluster, type Redis } from 'ioredis';
import { performance } from 'node:perf_hooks';
import { queueName, redisName } from './address';
import type { QueueConnection } from './connection';
import { QueueProblem } from './problem';

/** Limits for scanning a Redis that holds many other keys: milliseconds on each node, and keys. */
export interface ScanLimits {
  keys: number;
  ms: number;
}
const SCAN: ScanLimits = { keys: 100_000, ms: 1000 };
/** Most keys that are checked for being a counter of Bull. */
const MAX_CANDIDATES = 1000;
/** Number of queues that a message names. */
const MAX_NAMED = 5;

/** The queues that were found. */
export interface FoundQueues {
  /** As `prefix:queue`, in alphabetical order. */
  names: string[];
  /** Whether all keys were scanned. */
  complete: boolean;
}

/** Whether a queue is likely to be the one of n8n. */
export interface QueueCheck {
  /** Whether no job was ever added to the queue, because it is new, or its name or prefix is wrong. */
  isNew: boolean;
  /** Names queues of the same name with another prefix. Set if the queue never had a job and such queues exist. */
  warning?: QueueProblem;
}

/**
 * Checks for a wrong prefix, with which a queue seems never to have had a job. In this case it searches queues of the same
 * name with another prefix.
 * @param answerMs time limit for the whole check, in milliseconds
 */
export async function checkQueue(connection: QueueConnection, answerMs: number): Promise<QueueCheck> {
  const { address } = connection;
  const end = performance.now() + answerMs;
  if (await connection.ask(({ queue, client }) => client.exists(queue.toKey('id')), answerMs)) return { isNew: false };
  const { names } = await findQueues(connection, { answerMs: Math.max(1, end - performance.now()) });
  const namesakes = names.filter((name) => name.endsWith(`:${address.queue}`));
  if (namesakes.length === 0) return { isNew: true };
  const warning = new QueueProblem(
    'prefix',
    `${noJobMessage(connection)}, but to ${listNames(namesakes)}`,
    'If that is the queue of n8n, correct the prefix: use the value of QUEUE_BULL_PREFIX of n8n.',
  );
  return { isNew: true, warning };
}

/** `No job was ever added to bull:jobs in …` */
export const noJobMessage = ({ address }: Pick<QueueConnection, 'address'>): string =>
  `No job was ever added to ${queueName(address)} in ${redisName(address)}`;

/**
 * The queues of this database that ever had a job, of one prefix or of all. Every key `prefix:queue:id` that holds a number
 * counts as one. By default it scans at most 100,000 keys for at most a second; in a cluster, on each node. It checks at most
 * 1000 of these keys, so it may miss queues.
 */
export function findQueues(
  connection: QueueConnection,
  { prefix, answerMs, limits = SCAN }: { prefix?: string; answerMs?: number; limits?: ScanLimits } = {},
): Promise<FoundQueues> {
  const pattern = prefix === undefined ? '*?:?*:id' : `${escapePattern(prefix)}:?*:id`;
  return connection.ask(async ({ client }) => {
    const nodes = client instanceof Cluster ? client.nodes('master') : [client];
    const scans = await Promise.all(nodes.map((node) => scanKeys(node, pattern, limits)));
    // SCAN may return a key twice.
    const keys = [...new Set(scans.flatMap(({ keys }) => keys))].sort();
    const candidates = keys.slice(0, MAX_CANDIDATES);
    const counters = await Promise.all(candidates.map((key) => client.get(key).catch(ignoreRefusal)));
    const names = candidates
      .filter((_, i) => /^\d+$/.test(counters[i] ?? ''))
      .map((key) => key.slice(0, -':id'.length));
    return { names: names.sort(), complete: keys.length <= MAX_CANDIDATES && scans.every(({ complete }) => complete) };
  }, answerMs);
}

/** Ignores a key that is not text or that the user may not read. Throws other errors. */
function ignoreRefusal(error: Error): null {
  if (/WRONGTYPE|NOPERM/.test(error.message)) return null;
  throw error;
}

async function scanKeys(
  node: Redis,
  pattern: string,
  most: ScanLimits,
): Promise<{ keys: string[]; complete: boolean }> {
  const found: string[] = [];
  const end = performance.now() + most.ms;
  let cursor = '0';
  for (let scanned = 0; scanned < most.keys && performance.now() < end; scanned += 1000) {
    const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', 1000);
    found.push(...keys);
    cursor = next;
    if (cursor === '0') return { keys: found, complete: true };
  }
  return { keys: found, complete: false };
}

/** The text as a pattern of Redis that matches it and nothing else. */
const escapePattern = (text: string): string => text.replace(/[\\*?[\]^]/g, '\\$&');

/** `a:jobs, b:jobs and 3 more` */
export function listNames(names: string[]): string {
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
