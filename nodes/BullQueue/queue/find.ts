import { Cluster, type Redis } from 'ioredis';
import { performance } from 'node:perf_hooks';
import { queueName, redisName } from './address';
import type { QueueConnection } from './connection';
import { QueueProblem } from './problem';

/** Limits for scanning a Redis that holds many other keys. */
const SCANNED_KEYS = 100_000;
const SCAN_MS = 1000;
/** Number of queues that a message names. */
const NAMED = 5;

/**
 * Refuses a wrong prefix. It looks like a queue that never had a job, so if the queue never had one, queues of the same
 * name with another prefix are searched for. If there are none, the queue is taken for a new one.
 * @param answerMs time limit for the whole check, in milliseconds
 * @throws QueueProblem that names the other queues, if there are any
 */
export async function refuseWrongPrefix(connection: QueueConnection, answerMs: number): Promise<void> {
  const { address } = connection;
  const end = performance.now() + answerMs;
  if (await connection.ask(({ queue, client }) => client.exists(queue.toKey('id')), answerMs)) return;
  const namesakes = (await findQueues(connection, Math.max(1, end - performance.now()))).filter((name) =>
    name.endsWith(`:${address.queue}`),
  );
  if (namesakes.length === 0) return;
  throw new QueueProblem(
    'prefix',
    `No job was ever added to ${queueName(address)} in ${redisName(address)}, but to ${listed(namesakes)}. ` +
      'Correct the prefix: use the value of QUEUE_BULL_PREFIX of n8n.',
  );
}

/**
 * The queues of this database that ever had a job, as `prefix:queue`. It scans at most 100,000 keys, for at most a second
 * (in a cluster, on each node), so it may miss some.
 */
export function findQueues(connection: QueueConnection, answerMs?: number): Promise<string[]> {
  return connection.ask(async ({ client }) => {
    const nodes = client instanceof Cluster ? client.nodes('master') : [client];
    const keys = (await Promise.all(nodes.map(scan))).flat();
    return keys.map((key) => key.slice(0, -':id'.length)).sort();
  }, answerMs);
}

async function scan(node: Redis): Promise<string[]> {
  const found: string[] = [];
  const end = performance.now() + SCAN_MS;
  let cursor = '0';
  for (let scanned = 0; scanned < SCANNED_KEYS && performance.now() < end; scanned += 1000) {
    const [next, keys] = await node.scan(cursor, 'MATCH', '*?:?*:id', 'COUNT', 1000);
    found.push(...keys);
    cursor = next;
    if (cursor === '0') break;
  }
  return found;
}

/** `a:jobs, b:jobs and 3 more` */
export function listed(names: string[]): string {
  const more = names.length - NAMED;
  return names.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
