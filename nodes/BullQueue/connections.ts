import { now } from '../shared/clock';
import type { QueueAddress } from './queue/address';
import { ANSWER_MS, QueueConnection } from './queue/connection';
import { refuseWrongPrefix } from './queue/find';

/** The connections of one node run. Items with equal credentials share one. */
export class Connections {
  private readonly opened = new Map<string, Promise<QueueConnection>>();

  /** The connection to the queue at `address`. Rejects with QueueProblem, also for later items with the same address. */
  to(address: QueueAddress): Promise<QueueConnection> {
    const key = JSON.stringify(address);
    const connection = this.opened.get(key) ?? openChecked(address);
    this.opened.set(key, connection);
    return connection;
  }

  /** Resolves when every connection is closed; never rejects. */
  async close(): Promise<void> {
    const closings = [...this.opened.values()].map((opened) => opened.then((connection) => connection.close()));
    await Promise.allSettled(closings);
  }
}

/**
 * Opens a connection to a queue.
 * @throws QueueProblem, within ANSWER_MS, if Redis cannot be read or the prefix is wrong
 */
export async function openChecked(address: QueueAddress): Promise<QueueConnection> {
  const end = now() + ANSWER_MS;
  const connection = await QueueConnection.open(address);
  await refuseWrongPrefix(connection, Math.max(1, end - now())).catch(async (problem) => {
    await connection.close();
    throw problem;
  });
  return connection;
}
