import Bull from 'bull';
import { Redis, type Cluster } from 'ioredis';
import { keyPrefix, redisName, type QueueAddress, type RedisNode } from './address';
import { newClient } from './client';
import { explain, QueueProblem } from './problem';

/** Milliseconds in which Redis must answer: once to open the connection, then for each request. */
export const ANSWER_MS = 4000;
/** Milliseconds that a node of a cluster gets when none answered the cluster client. */
const ASK_ALONE_MS = 1000;
/** Milliseconds after which a connection counts as closed, whatever ioredis says: its sockets are destroyed by then. */
const CLOSE_MS = 1000;

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
  private readonly client: Redis | Cluster;
  private readonly queue: Bull.Queue;
  private readonly ended: Promise<void>;
  /** Set when the connection has ended. */
  private lost: QueueProblem | undefined;
  /** The first error that an event told of; a request may learn no more than that the connection is closed. */
  private told: unknown;

  private constructor(
    readonly address: QueueAddress,
    private readonly answerMs: number,
  ) {
    const client = newClient(address, answerMs);
    const tell = (error: unknown) => (this.told ??= error);
    client.on('error', tell);
    // A cluster tells of its nodes apart, and nearer to the cause.
    client.on('node error', tell);
    this.ended = new Promise((resolve) => {
      client.once('end', () => {
        this.lost = lostConnection(address);
        resolve();
      });
    });
    const options = { prefix: keyPrefix(address), createClient: () => client, skipVersionCheck: true };
    this.queue = new Bull(address.queue, options as Bull.QueueOptions);
    this.client = client;
  }

  /**
   * Connects, authenticates and reads one key of the queue.
   * @param answerMs milliseconds for that, and for each later request
   * @throws QueueProblem when that fails or takes longer; nothing stays open then
   */
  static async open(address: QueueAddress, answerMs = ANSWER_MS): Promise<QueueConnection> {
    const connection = new QueueConnection(address, answerMs);
    try {
      await connection.start();
      return connection;
    } catch (error) {
      const problem = explain(saysLittle(error) ? (connection.told ?? error) : error, address);
      const isSilent = saysLittle(connection.told);
      await connection.close();
      if ('nodes' in address.redis && isSilent) await askAlone(address.redis.nodes[0], address);
      throw problem;
    }
  }

  /** Makes a request. Throws QueueProblem when it fails, or when Redis takes too long: the connection is lost then. */
  async ask<Answer>(request: (access: Access) => Promise<Answer>, answerMs = this.answerMs): Promise<Answer> {
    if (this.lost) throw this.lost;
    try {
      return await this.within(request({ queue: this.queue, client: this.client }), answerMs);
    } catch (error) {
      throw this.lost ?? explain(error, this.address);
    }
  }

  /** Closes the connection; resolves when nothing of it is left. May be called twice. */
  async close(): Promise<void> {
    await this.queue.close(true);
    if (this.lost) return;
    this.client.disconnect();
    await inTime(CLOSE_MS, this.ended).catch(() => {});
  }

  private start(): Promise<unknown> {
    const { client, queue } = this;
    const started = async () => {
      await client.connect();
      // ioredis goes on in database 0 when its own SELECT is refused.
      if (client instanceof Redis) await client.select(client.options.db ?? 0);
      await client.exists(queue.toKey('id'));
    };
    return this.within(started());
  }

  private within<Answer>(answer: Promise<Answer>, answerMs = this.answerMs): Promise<Answer> {
    return inTime(answerMs, answer, () => this.client.disconnect());
  }
}

class LateAnswer extends Error {
  readonly code = 'ETIMEDOUT';
}

/** Rejects with LateAnswer, and calls `late`, when `answer` takes longer than `milliseconds`. */
async function inTime<Answer>(milliseconds: number, answer: Promise<Answer>, late = () => {}): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new LateAnswer());
      late();
    }, milliseconds);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** ioredis has closed a connection, for a reason that it tells elsewhere if at all. */
const saysLittle = (error: unknown): boolean =>
  error instanceof LateAnswer || /closed|ended|startup nodes/i.test((error as Error | undefined)?.message ?? '');

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
