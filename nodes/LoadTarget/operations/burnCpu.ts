import type { IDataObject } from 'n8n-workflow';
import type { Account } from '../ceilings/account';
import { ceilings } from '../ceilings/ceiling';
import { cpuNow, now, Slices } from '../../shared/clock';
import { identity } from '../identity';
import { operation, type Run } from '../operation';
import { readMilliseconds } from '../parameters';
import { readChoice, readNumber } from '../../shared/parameters';

type BurnCpu = { mode: 'count'; n: number } | { mode: 'time'; ms: number };

/** A look at the clock costs about as much as 50 additions; at this distance it is lost in the noise. */
const ADDITIONS_PER_LOOK = 1_000_000;

/**
 * Burn CPU, in one of two ways.
 *
 * `count` adds up 0 … n-1 in one synchronous loop: the same work everywhere, so a slow core shows as a longer time, and
 * the event loop is blocked while it lasts, as by the CPU-heavy request it stands for. It ends with an error at the
 * execution's time ceiling, and cannot be stopped earlier.
 *
 * `time` burns for `milliseconds` in slices of 10 ms and yields to the event loop between them: the processor is
 * loaded, probes and other executions are still served. Only processor time inside slices counts, so the amount of work
 * does not shrink when the process does other things, is throttled at its CPU limit, or has to share its core; the item
 * then takes longer than it burns, up to the execution's time ceiling.
 */
export const burnCpu = operation<BurnCpu>({
  properties: [
    {
      displayName: 'Mode',
      name: 'mode',
      type: 'options',
      displayOptions: { show: { operation: ['burnCpu'] } },
      options: [
        { name: 'Count', value: 'count', description: 'Count to a number in one loop that blocks the process' },
        { name: 'Time', value: 'time', description: 'Burn for a time, letting others run every 10 ms' },
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
      description: 'The number to count to. 5,000,000 takes some milliseconds of one core; it fails after 60 s.',
    },
    {
      displayName: 'Milliseconds',
      name: 'milliseconds',
      type: 'number',
      typeOptions: { minValue: 0 },
      displayOptions: { show: { operation: ['burnCpu'], mode: ['time'] } },
      default: 1000,
      description: 'How long to burn, in milliseconds. All items of an execution together may take 60,000.',
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
      return { n, result: countTo(n, run.time), identity: await identity() };
    }
    const { ms } = parameters;
    return { ms, result: await burnFor(ms, run), identity: await identity() };
  },
});

/** The sum 0 + … + n-1, or n where that sum is no longer an exact number. */
function countTo(n: number, time: Account): number {
  const start = now();
  const freeMs = time.free;
  let sum = 0;
  try {
    for (let from = 0; from < n; from += ADDITIONS_PER_LOOK) {
      if (now() - start >= freeMs) {
        throw new Error(
          `Count ${n} had reached ${from} after ${Math.round(now() - start)} ms: ${ceilings.seconds.text}`,
        );
      }
      sum = addUp(sum, from, Math.min(from + ADDITIONS_PER_LOOK, n));
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

/** Returns how many additions fitted in. */
async function burnFor(milliseconds: number, { time, signal }: Run): Promise<number> {
  const start = now();
  const freeMs = milliseconds + time.free;
  const slices = new Slices(signal);
  let additions = 0;
  let wallMs = 0;
  let cpuMs = 0;
  // Other threads of the process may have worked too; this one has not for longer than its slices were. The system counts
  // processor time in steps of some milliseconds, so that only sums compare.
  const left = () => milliseconds - Math.min(cpuMs, wallMs);
  for (; left() > 0; await slices.pause()) {
    const sliceStart = now();
    if (sliceStart - start > freeMs) {
      throw new Error(
        `${Math.round(cpuMs)} of ${milliseconds} ms were burned in ${Math.round(freeMs)} ms: ${ceilings.seconds.text}`,
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
