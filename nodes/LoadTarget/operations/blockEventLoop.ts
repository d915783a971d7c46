import { now, toMicroseconds } from '../../shared/clock';
import { measureIdentity } from '../identity';
import { noticeField } from '../../shared/notice';
import { operation } from '../operation';
import { readMilliseconds } from '../parameters';

/**
 * Block Event Loop: blocks the process for `milliseconds`. Meanwhile it serves no webhook, no health probe and no timer, and
 * does not notice that the execution is stopped. It stands for a Code node that computes, or parses a large document, in the
 * main process.
 *
 * A worker renews the lock of its jobs every 10 s, for 60 s (n8n's QUEUE_WORKER_LOCK_RENEW_TIME and …_LOCK_DURATION). A block
 * can begin just before a renewal, so after 50 s the lock may have run out. Another worker then takes the job for stalled,
 * and n8n fails it.
 */
export const blockEventLoop = operation<{ ms: number }>({
  properties: [
    noticeField(
      'blockEventLoop',
      'The process serves no request and no health probe while it is blocked. A worker that is blocked for more than 50 s ' +
        'loses the jobs that it runs: it renews their locks of 60 s every 10 s.',
    ),
    {
      displayName: 'Milliseconds',
      name: 'milliseconds',
      type: 'number',
      typeOptions: { minValue: 0 },
      displayOptions: { show: { operation: ['blockEventLoop'] } },
      default: 200,
      description:
        'How long to block, in milliseconds. A process that is blocked for longer than its probes wait is restarted. On a worker stay below 50,000, or Bull takes its jobs away. All items of an execution together may take 60,000.',
    },
  ],

  read: (parameter) => ({ ms: readMilliseconds(parameter) }),

  costs: ({ ms }) => ({ time: ms }),

  async execute({ ms }) {
    const start = now();
    let blockedMs = 0;
    while (blockedMs < ms) blockedMs = now() - start;
    return { ms, blockedMs: toMicroseconds(blockedMs), identity: await measureIdentity() };
  },
});
