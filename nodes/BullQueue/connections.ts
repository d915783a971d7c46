import { now } from '../shared/clock';
import type { QueueAddress } from './queue/address';
import { ANSWER_MS, QueueConnection } from './queue/connection';
import { prefixWarning } from './queue/find';
import type { QueueProblem } from './queue/problem';

/** An open connection, and what to tell the user about its queue. */
export interface Opened {
  connection: QueueConnection;
  /** The queue never had a job, but one of the same name with another prefix had. */
  warning?: QueueProblem;
}

/** The connections of one node run. Items with equal credentials share one. */
export class Connections {
  private readonly opened = new Map<string, Promise<Opened>>();

  /** The connection to the queue at `address`. Rejects with QueueProblem, also for later items with the same address. */
  to(address: QueueAddress): Promise<Opened> {
    const key = JSON.stringify(address);
    const opened = this.opened.get(key) ?? openChecked(address);
    this.opened.set(key, opened);
    return opened;
  }

  /** Resolves when every connection is closed; never rejects. */
  async close(): Promise<void> {
    const closings = [...this.opened.values()].map((opened) => opened.then(({ connection }) => connection.close()));
    await Promise.allSettled(closings);
  }
}

/**
 * Opens a connection to a queue, and checks its prefix.
 * @throws QueueProblem, within ANSWER_MS, if Redis cannot be read
 */
async function openChecked(address: QueueAddress): Promise<Opened> {
  const end = now() + ANSWER_MS;
  const connection = await QueueConnection.open(address);
  const warning = await prefixWarning(connection, Math.max(1, end - now())).catch(async (problem) => {
    await connection.close();
    throw problem;
  });
  return { connection, warning };
}
