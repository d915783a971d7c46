import { CeilingError, ceilings } from '../ceilings/ceiling';
import { memory, withMegabytes } from '../ceilings/process';
import { now, sleep, Slices } from '../../shared/clock';
import { measureIdentity } from '../identity';
import { noticeField } from '../../shared/notice';
import { operation, type Run } from '../operation';
import { readMilliseconds } from '../parameters';
import { readChoice, readNumber } from '../../shared/parameters';

type Where = 'heap' | 'offHeap';

const DOUBLES_PER_MEGABYTE = 131_072;

/**
 * Hold Memory: allocates `megabytes` (MiB), holds them for `milliseconds` when all are allocated, and drops them. On the heap
 * they are live arrays of doubles, so a heap limit below them aborts the process. Off the heap they are Buffers with every
 * page written, which count for the container's limit only. V8 and the allocator decide when dropped memory is freed.
 *
 * The time of the allocation counts as time of the execution. If reservations fill its ceiling, the hold is shorter by it.
 */
export const holdMemory = operation<{ mb: number; ms: number; where: Where }>({
  properties: [
    noticeField(
      'holdMemory',
      'A process that reaches its heap limit aborts, and one that reaches the limit of its container is killed. All ' +
        'executions in it are lost.',
    ),
    {
      displayName: 'Megabytes',
      name: 'megabytes',
      type: 'number',
      typeOptions: { minValue: 1 },
      displayOptions: { show: { operation: ['holdMemory'] } },
      default: 64,
      description: 'Memory to hold, in MB of 1,048,576 bytes. All executions of a process together may hold 1024.',
    },
    {
      displayName: 'Milliseconds',
      name: 'milliseconds',
      type: 'number',
      typeOptions: { minValue: 0 },
      displayOptions: { show: { operation: ['holdMemory'] } },
      default: 1000,
      description: 'How long to hold it, in milliseconds. All items of an execution together may take 60,000.',
    },
    {
      displayName: 'Where',
      name: 'where',
      type: 'options',
      displayOptions: { show: { operation: ['holdMemory'] } },
      options: [
        { name: 'V8 Heap', value: 'heap', description: 'Counts for the heap limit and for the container limit' },
        { name: 'Off the Heap', value: 'offHeap', description: 'Counts for the container limit only' },
      ],
      default: 'heap',
    },
  ],

  read(parameter) {
    const max = Math.floor(ceilings.megabytes.value);
    const range = { min: 1, max, integer: true, unit: 'MB', because: ceilings.megabytes.text };
    return {
      mb: readNumber('Megabytes', parameter('megabytes'), range),
      ms: readMilliseconds(parameter),
      where: readChoice('Where', parameter('where'), ['heap', 'offHeap']),
    };
  },

  costs: ({ ms }) => ({ time: ms }),

  execute: ({ mb, ms, where }, run) =>
    withMegabytes(memory, mb, async () => {
      const held: Array<number[] | Buffer> = [];
      try {
        const unpaidMs = await allocate(held, mb, ms, where, run);
        await sleep(ms - unpaidMs, run.signal);
        return { mb, ms, where, identity: await measureIdentity() };
      } finally {
        held.length = 0;
      }
    }),
});

/** Fills `held`. Returns by how many milliseconds the hold must be shorter because of the time ceiling. */
async function allocate(
  held: Array<number[] | Buffer>,
  mb: number,
  ms: number,
  where: Where,
  { time, signal }: Run,
): Promise<number> {
  const start = now();
  const slices = new Slices(signal);
  for (let i = 0; i < mb; i++) {
    if (now() - start > ms + time.free) {
      time.spend(now() - start);
      throw new CeilingError(
        ceilings.seconds,
        `${i} of ${mb} MB were allocated when the time of the execution was used up`,
      );
    }
    held.push(where === 'heap' ? new Array<number>(DOUBLES_PER_MEGABYTE).fill(i + 0.5) : Buffer.alloc(1_048_576, 1));
    await slices.pause();
  }
  return time.spend(now() - start);
}
