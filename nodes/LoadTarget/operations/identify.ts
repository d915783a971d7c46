import { identity } from '../identity';
import { operation } from '../operation';

/** Identify: says who answers and in what state it is. Takes one turn of the event loop. */
export const identify = operation<Record<string, never>>({
  properties: [],
  read: () => ({}),
  costs: () => ({}),
  execute: async () => ({ identity: await identity() }),
});
