import Bull from 'bull';
import { Redis, type Cluster } from 'ioredis';
import { keyPrefix, redisName, type QueueAddress, type RedisNode } from './address';
import { newClient } from './client';
import { explain, QueueProblem } from './problem';

/** Milliseconds in which Redis must answer: once to open the connection, then for each request. */
const ANSWER_MS = 4000;
/** Milliseconds that a node of a cluster gets when none answered the cluster client. */
const ASK_ALONE_MS = 1000;

/** What a request is made with. */
export interface Access {
  /** Bull's view of the queue, for its keys and getters; nothing may be added or processed with it. */
  queue: Bull.Queue;
  client: Redis | Cluster;
}

/**
 * An open connection to the Redis of one queue, to read. It is never opened again by itself: after any failure of the
 * network it is lost, and every request says so at once.
 */
export class QueueConnection {
  private lost: QueueProblem | undefined;

  private constructor(
    readonly address: QueueAddress,
    private readonly answerMs: number,
    private readonly client: Redis | Cluster,
    private readonly queue: Bull.Queue,
  ) {}

  /**
   * Connects, authenticates and reads one key of the queue.
   * @param answerMs milliseconds for that, and for each later request
   * @throws QueueProblem when that fails or takes longer; nothing stays open then
   */
  static async open(address: QueueAddress, answerMs = ANSWER_MS): Promise<QueueConnection> {
    const client = newClient(address, answerMs);
    let reported: unknown;
    const report = (error: unknown) => (reported ??= error);
    client.on('error', report);
    // A cluster tells of its nodes apart, and nearer to the cause.
    client.on('node error', report);

    const options = { prefix: keyPrefix(address), createClient: () => client, skipVersionCheck: true };
    const queue = new Bull(address.queue, options as Bull.QueueOptions);
    const connection = new QueueConnection(address, answerMs, client, queue);
    try {
      await connection.within(async () => {
        await client.connect();
        // ioredis goes on in database 0 when its own SELECT is refused.
        if (client instanceof Redis) await client.select(client.options.db ?? 0);
        await client.exists(queue.toKey('id'));
      });
    } catch (error) {
      // The promise may know no more than that the connection is closed, where an event has told why.
      const problem = explain(saysLittle(error) ? (reported ?? error) : error, address);
      await connection.close();
      if ('nodes' in address.redis && isSilent(reported)) await askAlone(address.redis.nodes[0], address);
      throw problem;
    }
    client.once('end', () => (connection.lost ??= lostConnection(address)));
    return connection;
  }

  /** Makes a request. Throws QueueProblem when it fails, or when Redis takes too long: the connection is lost then. */
  async ask<Answer>(request: (access: Access) => Promise<Answer>): Promise<Answer> {
    if (this.lost) throw this.lost;
    try {
      return await this.within(() => request({ queue: this.queue, client: this.client }));
    } catch (error) {
      throw this.lost ?? explain(error, this.address);
    }
  }

  /** Closes the connection; resolves when nothing of it is left. May be called twice. */
  async close(): Promise<void> {
    await this.queue.close(true);
    if (this.client.status === 'end') return;
    await new Promise<void>((resolve) => {
      this.client.once('end', () => resolve());
      this.client.disconnect();
    });
  }

  private async within<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new LateAnswer());
        this.client.disconnect();
      }, this.answerMs);
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

class LateAnswer extends Error {
  readonly code = 'ETIMEDOUT';
}

const saysLittle = (error: unknown): boolean =>
  error instanceof LateAnswer || /closed|ended|startup nodes/i.test((error as Error).message);

/** A cluster client that reached none of its nodes says only that a connection was closed. */
const isSilent = (reported: unknown): boolean =>
  /^Connection is closed/.test((reported as Error | undefined)?.message ?? '');

/** Throws QueueProblem with the reason why a node of a cluster cannot be reached, if there is one. */
async function askAlone(node: RedisNode | undefined, address: QueueAddress): Promise<void> {
  if (!node) return;
  const connection = await QueueConnection.open({ ...address, redis: { ...node, database: 0 } }, ASK_ALONE_MS);
  await connection.close();
}

const lostConnection = (address: QueueAddress): QueueProblem =>
  new QueueProblem(
    `The connection to ${redisName(address)} was lost. Check that Redis still runs, then run this again.`,
  );
