import { operation } from '../operation';
import { queueName } from '../queue/address';
import { readWorkers } from '../queue/workers';

/** Get Workers: one output item for each worker that is connected to the queue. One item with `workers: 0` if no worker is connected. */
export const workers = operation<Record<string, never>>({
  properties: [],
  read: () => ({}),
  async execute(_, { connection }) {
    const found = await readWorkers(connection);
    if (found.length > 0) return found.map((worker) => ({ ...worker }));
    return [{ queue: queueName(connection.address), workers: 0, note: 'No worker is connected to the queue.' }];
  },
});
