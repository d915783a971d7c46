import { sleep } from '../../shared/clock';
import { measureIdentity } from '../identity';
import { operation } from '../operation';
import { readMilliseconds } from '../parameters';

/**
 * Wait: waits for `milliseconds`, while the process serves other requests. It costs a timer, and stands for a slow service
 * that a workflow waits for.
 */
export const wait = operation<{ ms: number }>({
  properties: [
    {
      displayName: 'Milliseconds',
      name: 'milliseconds',
      type: 'number',
      typeOptions: { minValue: 0 },
      displayOptions: { show: { operation: ['wait'] } },
      default: 5000,
      description: 'How long to wait, in milliseconds. All items of an execution together may take 60,000.',
    },
  ],

  read: (parameter) => ({ ms: readMilliseconds(parameter) }),

  costs: ({ ms }) => ({ time: ms }),

  async execute({ ms }, { signal }) {
    await sleep(ms, signal);
    return { ms, identity: await measureIdentity() };
  },
});
