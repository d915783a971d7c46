import { operation } from '../operation';
import { readWorkers } from '../queue/workers';

/** Get Workers: one output item for each worker that is connected to the queue. */
export const workers = operation<Record<string, never>>({
  properties: [],
  read: () => ({}),
  execute: async (_, { connection }) => (await readWorkers(connection)).map((worker) => ({ ...worker })),
});
