import Bull from 'bull';
import { Redis, type Cluster } from 'ioredis';
import { keyPrefix, redisName, type QueueAddress, type RedisNode } from './address';
import { newClient } from './client';
import { toQueueProblem, QueueProblem } from './problem';

/** Time limit in milliseconds for opening the connection, and for each request after that. */
export const ANSWER_MS = 4000;
/** Time limit in milliseconds for a single node, if no node answered the cluster client. */
const ASK_ALONE_MS = 1000;
/**
 * Milliseconds after which a connection counts as closed without an event of ioredis: its sockets are destroyed by then.
 */
const CLOSE_MS = 1000;

/** The clients that a request uses. */
export interface Access {
  /** Bull's queue, for its keys and getters. Do not add or process jobs with it. */
  queue: Bull.Queue;
  client: Redis | Cluster;
}

/**
 * An open connection for reading the Redis of one queue. It does not reconnect: after a network failure it is lost, and
 * every later request fails at once.
 */
export class QueueConnection {
  private readonly client: Redis | Cluster;
  private readonly queue: Bull.Queue;
  private readonly ended: Promise<void>;
  /** Set as soon as the connection has ended. */
  private lost: QueueProblem | undefined;
  /** Whether a request took too long. The connection then ends a moment later. */
  private isLate = false;
  /** The first error of an event. A failed request often reports only that the connection is closed. */
  private told: unknown;

  private constructor(
    readonly address: QueueAddress,
    private readonly answerMs: number,
  ) {
    const client = newClient(address, answerMs);
    const tell = (error: unknown) => (this.told ??= error);
    client.on('error', tell);
    // In a cluster, the errors of single nodes are closer to the cause.
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
   * @param answerMs time limit for that, and for each later request, in milliseconds
   * @throws QueueProblem if that fails or takes longer. Nothing stays open then.
   */
  static async open(address: QueueAddress, answerMs = ANSWER_MS): Promise<QueueConnection> {
    const connection = new QueueConnection(address, answerMs);
    try {
      await connection.start();
      return connection;
    } catch (error) {
      const problem = toQueueProblem(lacksCause(error) ? (connection.told ?? error) : error, address);
      const isSilent = lacksCause(connection.told);
      await connection.close();
      if ('nodes' in address.redis && isSilent) await askAlone(address.redis.nodes[0], address);
      throw problem;
    }
  }

  /** Whether the connection can take further requests. */
  get isOpen(): boolean {
    return this.lost === undefined && !this.isLate;
  }

  /**
   * Makes a request.
   * @throws QueueProblem if it fails, or takes longer than `answerMs`, after which the connection is lost
   */
  async ask<Answer>(request: (access: Access) => Promise<Answer>, answerMs = this.answerMs): Promise<Answer> {
    if (this.lost) throw this.lost;
    try {
      return await this.within(request({ queue: this.queue, client: this.client }), answerMs);
    } catch (error) {
      throw this.lost ?? toQueueProblem(error, this.address);
    }
  }

  /** Resolves when the connection is closed. May be called twice. */
  async close(): Promise<void> {
    await this.queue.close(true);
    if (this.lost) return;
    this.client.disconnect();
    await withTimeLimit(CLOSE_MS, this.ended).catch(() => {});
  }

  private start(): Promise<unknown> {
    const { client, queue } = this;
    const started = async () => {
      await client.connect();
      // ioredis stays in database 0 if its own SELECT is refused.
      if (client instanceof Redis) await client.select(client.options.db ?? 0);
      await client.exists(queue.toKey('id'));
    };
    return this.within(started());
  }

  private within<Answer>(answer: Promise<Answer>, answerMs = this.answerMs): Promise<Answer> {
    return withTimeLimit(answerMs, answer, () => {
      this.isLate = true;
      this.client.disconnect();
    });
  }
}

class LateAnswer extends Error {
  readonly code = 'ETIMEDOUT';
}

/** Rejects with LateAnswer, and calls `late`, if `answer` takes longer than `milliseconds`. */
async function withTimeLimit<Answer>(milliseconds: number, answer: Promise<Answer>, late = () => {}): Promise<Answer> {
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

/** Whether the error only reports that a connection was closed, without the cause. */
const lacksCause = (error: unknown): boolean =>
  error instanceof LateAnswer || /closed|ended|startup nodes/i.test((error as Error | undefined)?.message ?? '');

/**
 * Connects to a single node of a cluster, to find out why the cluster cannot be reached.
 * @throws QueueProblem with the cause, if the node cannot be reached either
 */
async function askAlone(node: RedisNode | undefined, address: QueueAddress): Promise<void> {
  if (!node) return;
  const connection = await QueueConnection.open({ ...address, redis: { ...node, database: 0 } }, ASK_ALONE_MS);
  await connection.close();
}

const lostConnection = (address: QueueAddress): QueueProblem =>
  new QueueProblem(
    'lost',
    `The connection to ${redisName(address)} was lost`,
    'Check that Redis is still running, then try again.',
  );
