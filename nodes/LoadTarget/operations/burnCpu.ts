import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../ceilings/account';
import { CeilingError, ceilings } from '../ceilings/ceiling';
import { cpuNow, now, Slices } from '../../shared/clock';
import { measureIdentity } from '../identity';
import { noticeField } from '../../shared/notice';
import { operation, type Run } from '../operation';
import { readMilliseconds } from '../parameters';
import { readChoice, readNumber } from '../../shared/parameters';

type BurnCpu = { mode: 'count'; n: number } | { mode: 'time'; ms: number };

/** Additions between two readings of the clock. A reading takes about as long as 50 additions, which is negligible here. */
const ADDITIONS_PER_READING = 1_000_000;

/**
 * Burn CPU, in one of two ways.
 *
 * `count` adds up 0 … n-1 in one synchronous loop. The work is the same everywhere, so it takes longer on a slow core. It
 * blocks the event loop, as a CPU-heavy request does. It ends with an error at the time ceiling of the execution, and cannot
 * be stopped earlier.
 *
 * `time` burns CPU for `milliseconds` in slices of 10 ms and yields to the event loop between them, so probes and other
 * executions are still served. Only CPU time inside slices counts. If the process does other work, is throttled at its CPU
 * limit or shares its core, the amount of work stays the same. The item then takes longer, up to the time ceiling of the
 * execution.
 */
export const burnCpu = operation<BurnCpu>({
  properties: [
    noticeField(
      'burnCpu',
      'Takes a whole core. Count blocks the process like Block Event Loop: it serves no health probe, and a worker that is ' +
        'blocked for more than 50 s loses the jobs that it runs.',
    ),
    {
      displayName: 'Mode',
      name: 'mode',
      type: 'options',
      displayOptions: { show: { operation: ['burnCpu'] } },
      options: [
        { name: 'Count', value: 'count', description: 'Count to a number in one loop, which blocks the process' },
        { name: 'Time', value: 'time', description: 'Burn CPU for a time, and let other work run every 10 ms' },
      ],
      default: 'count',
    },
    {
      displayName: 'Count',
      name: 'count',
      type: 'number',
      typeOptions: { minValue: 0 },
      displayOptions: { show: { operation: ['burnCpu'], mode: ['count'] } },
      default: 5000000,
      description: 'The number to count to. 5,000,000 takes some milliseconds of one core. It fails after 60 s.',
    },
    {
      displayName: 'Milliseconds',
      name: 'milliseconds',
      type: 'number',
      typeOptions: { minValue: 0 },
      displayOptions: { show: { operation: ['burnCpu'], mode: ['time'] } },
      default: 1000,
      description: 'CPU time to burn, in milliseconds. All items of an execution together may take 60,000.',
    },
  ],

  read(parameter) {
    const mode = readChoice('Mode', parameter('mode'), ['count', 'time']);
    if (mode === 'count') {
      const range = { min: 0, max: Number.MAX_SAFE_INTEGER, integer: true };
      return { mode, n: readNumber('Count', parameter('count'), range) };
    }
    return { mode, ms: readMilliseconds(parameter) };
  },

  costs: (parameters) => ({ time: parameters.mode === 'time' ? parameters.ms : 0 }),

  async execute(parameters, run): Promise<IDataObject> {
    if (parameters.mode === 'count') {
      const { n } = parameters;
      return { n, result: countTo(n, run.time), identity: await measureIdentity() };
    }
    const { ms } = parameters;
    return { ms, result: await burnFor(ms, run), identity: await measureIdentity() };
  },
});

/** The sum 0 + … + n-1, or n if a number cannot hold that sum exactly. */
function countTo(n: number, time: Account): number {
  const start = now();
  const freeMs = time.free;
  let sum = 0;
  try {
    for (let from = 0; from < n; from += ADDITIONS_PER_READING) {
      if (now() - start >= freeMs) {
        throw new CeilingError(
          ceilings.seconds,
          `Count ${n} had reached ${from} after ${Math.round(now() - start)} ms`,
        );
      }
      sum = addUp(sum, from, Math.min(from + ADDITIONS_PER_READING, n));
    }
  } finally {
    time.spend(now() - start);
  }
  return isExact(n) ? sum : n;
}

const isExact = (n: number): boolean => (n * (n - 1)) / 2 <= Number.MAX_SAFE_INTEGER;

function addUp(sum: number, from: number, to: number): number {
  for (let i = from; i < to; i++) sum += i;
  return sum;
}

/** Burns CPU time; returns the number of additions that were made. */
async function burnFor(milliseconds: number, { time, signal }: Run): Promise<number> {
  const start = now();
  const freeMs = milliseconds + time.free;
  const slices = new Slices(signal);
  let additions = 0;
  let wallMs = 0;
  let cpuMs = 0;
  // The CPU time may include other threads of the process, so it counts at most as the duration of the slices. The system
  // counts CPU time in steps of some milliseconds, so only sums are compared.
  const left = () => milliseconds - Math.min(cpuMs, wallMs);
  for (; left() > 0; await slices.pause()) {
    const sliceStart = now();
    if (sliceStart - start > freeMs) {
      throw new CeilingError(
        ceilings.seconds,
        `${Math.round(cpuMs)} of ${milliseconds} ms of CPU time were burned in ${Math.round(freeMs)} ms`,
      );
    }
    const startCpu = cpuNow();
    const end = Math.min(slices.end, sliceStart + left());
    do {
      addUp(0, 0, 10_000);
      additions += 10_000;
    } while (now() < end);
    cpuMs += cpuNow() - startCpu;
    wallMs += now() - sliceStart;
  }
  return additions;
}
