import { now, toMicroseconds } from '../../shared/clock';
import { identity } from '../identity';
import { operation } from '../operation';
import { readMilliseconds } from '../parameters';

/**
 * Block Event Loop: blocks the process for `milliseconds`. Meanwhile it serves no webhook, no health probe and no timer, and
 * does not notice that the execution is stopped. It stands for a Code node that computes, or parses a large document, in the
 * main process.
 */
export const blockEventLoop = operation<{ ms: number }>({
  properties: [
    {
      displayName: 'Milliseconds',
      name: 'milliseconds',
      type: 'number',
      typeOptions: { minValue: 0 },
      displayOptions: { show: { operation: ['blockEventLoop'] } },
      default: 200,
      description:
        'How long to block, in milliseconds. A process that is blocked for longer than its probes wait is restarted. All items of an execution together may take 60,000.',
    },
  ],

  read: (parameter) => ({ ms: readMilliseconds(parameter) }),

  costs: ({ ms }) => ({ time: ms }),

  async execute({ ms }) {
    const start = now();
    let blockedMs = 0;
    while (blockedMs < ms) blockedMs = now() - start;
    return { ms, blockedMs: toMicroseconds(blockedMs), identity: await identity() };
  },
});
