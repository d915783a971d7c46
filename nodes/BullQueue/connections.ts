import { now } from '../shared/clock';
import type { QueueAddress } from './queue/address';
import { ANSWER_MS, QueueConnection } from './queue/connection';
import { checkQueue, type QueueCheck } from './queue/find';
import type { QueueProblem } from './queue/problem';

/** An open connection, and the check of its queue for the user. */
export interface Opened extends QueueCheck {
  connection: QueueConnection;
}

/** Most connections open at a time. Each counts towards Redis's client limit, which n8n's own connections share. */
const MAX_OPEN = 3;

/**
 * The connections of one node run, which uses them one after another. Items with equal addresses share one. With many
 * addresses, only the last few stay open.
 */
export class Connections {
  private readonly opened = new Map<string, Opened>();
  /** Addresses at which Redis did not answer in time. Later items do not wait for it again. */
  private readonly silent = new Map<string, QueueProblem>();

  /**
   * The connection to the queue at `address`. The first call opens it, and so does a call after it was lost. It makes one
   * attempt. Rejects with QueueProblem.
   */
  async to(address: QueueAddress): Promise<Opened> {
    const key = JSON.stringify(address);
    const known = this.opened.get(key);
    // The last entry of the map is the most recently used one.
    this.opened.delete(key);
    if (known?.connection.isOpen) {
      this.opened.set(key, known);
      return known;
    }
    if (known) await closeQuietly(known);
    const problem = this.silent.get(key);
    if (problem) throw problem;
    return this.open(key, address);
  }

  /** Opens a new connection in place of a lost one. Rejects with QueueProblem. */
  async reopen(address: QueueAddress): Promise<Opened> {
    const key = JSON.stringify(address);
    const lost = this.opened.get(key);
    this.opened.delete(key);
    if (lost) await closeQuietly(lost);
    return this.open(key, address);
  }

  private async open(key: string, address: QueueAddress): Promise<Opened> {
    if (this.opened.size >= MAX_OPEN) await this.closeOldest();
    const opened = await openChecked(address).catch((problem: QueueProblem) => {
      if (problem.code === 'timeout') this.silent.set(key, problem);
      throw problem;
    });
    this.silent.delete(key);
    this.opened.set(key, opened);
    return opened;
  }

  private async closeOldest(): Promise<void> {
    const [oldest] = this.opened;
    if (!oldest) return;
    this.opened.delete(oldest[0]);
    await closeQuietly(oldest[1]);
  }

  /** Resolves when every connection is closed; never rejects. */
  async close(): Promise<void> {
    await Promise.all([...this.opened.values()].map(closeQuietly));
  }
}

/** Resolves when it is closed; never rejects. */
const closeQuietly = ({ connection }: Opened): Promise<void> => connection.close().catch(() => undefined);

/**
 * Opens a connection to a queue, and checks its prefix.
 * @throws QueueProblem, within ANSWER_MS, if Redis cannot be read
 */
async function openChecked(address: QueueAddress): Promise<Opened> {
  const end = now() + ANSWER_MS;
  const connection = await QueueConnection.open(address);
  const check = await checkQueue(connection, Math.max(1, end - now())).catch(async (problem) => {
    await connection.close();
    throw problem;
  });
  return { connection, ...check };
}
