import { operation } from '../operation';
import { keyPrefix, queueName } from '../queue/address';
import { readCounts } from '../queue/counts';
import { findQueues } from '../queue/find';

/** Most queues whose jobs are counted. */
const MAX_QUEUES = 100;

/** Ignores errors of keys that only look like those of a queue: other types, or keys on other nodes. */
function ignoreOtherKeys(error: Error): undefined {
  if (/WRONGTYPE|CROSSSLOT|EXECABORT|same slots/.test(error.message)) return undefined;
  throw error;
}

const CUT = 'Redis holds more keys or queues than were scanned, so some queues may be missing.';

/** Get Queues: one output item for each queue with its counts. One item with `queues: 0` if no queue was found. */
export const queues = operation<{ allPrefixes: boolean }>({
  properties: [
    {
      displayName: 'All Prefixes',
      name: 'allPrefixes',
      type: 'boolean',
      displayOptions: { show: { operation: ['queues'] } },
      default: false,
      description: 'Whether to list the queues of all prefixes in this database, not only of the one in the credential',
    },
  ],

  read: (parameter) => ({ allPrefixes: parameter('allPrefixes') === true }),

  async execute({ allPrefixes }, { connection, isNew }) {
    const prefix = keyPrefix(connection.address);
    const found = await findQueues(connection, allPrefixes ? {} : { prefix });
    const { complete } = found;
    // The scan may have missed it among many keys.
    const names = [...new Set(isNew ? found.names : [queueName(connection.address), ...found.names])].sort();
    const note = complete && names.length <= MAX_QUEUES ? {} : { note: CUT };
    const none = { queues: 0, ...(!allPrefixes && { prefix }), ...note };
    if (names.length === 0) return [none];
    const items = [];
    for (const name of names.slice(0, MAX_QUEUES)) {
      const counts = await readCounts(connection, name).catch(ignoreOtherKeys);
      if (!counts) continue;
      const { waiting, active, delayed, paused, added, isPaused } = counts;
      const at = name.lastIndexOf(':');
      items.push({
        ...{ queue: name, prefix: name.slice(0, at), name: name.slice(at + 1) },
        ...{ isPaused, waiting, active, delayed, paused, added, ...note },
      });
    }
    return items.length === 0 ? [none] : items;
  },
});
