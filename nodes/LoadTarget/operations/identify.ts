import { measureIdentity } from '../identity';
import { operation } from '../operation';

/** Identify Process: returns which process answers, and its state. Takes one turn of the event loop. */
export const identify = operation<Record<string, never>>({
  properties: [],
  read: () => ({}),
  costs: () => ({}),
  execute: async () => ({ identity: await measureIdentity() }),
});
