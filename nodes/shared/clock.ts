import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';

/** Longest time, in milliseconds, for which work that can be divided occupies the event loop. */
const SLICE_MS = 10;

/** Milliseconds since an arbitrary start, monotonic. */
export const now = (): number => performance.now();

/** CPU time of this thread in milliseconds; below Node 24, of this process. */
export function cpuNow(): number {
  const { threadCpuUsage } = process as { threadCpuUsage?: () => NodeJS.CpuUsage };
  const { user, system } = threadCpuUsage?.call(process) ?? process.cpuUsage();
  return (user + system) / 1000;
}

/** Rounds up to a microsecond, so that a time of at least x is never shown as less than x. */
export const toMicroseconds = (milliseconds: number): number => Math.ceil(milliseconds * 1000) / 1000;

/** Lets the event loop serve waiting requests, among them health probes. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** @throws StoppedError if the execution was stopped */
export function throwIfStopped(signal?: AbortSignal): void {
  if (signal?.aborted) throw new StoppedError();
}

/** The execution was stopped. No further item may start, and no item has failed. */
export class StoppedError extends Error {
  constructor() {
    super('The execution was stopped');
  }
}

/** Waits for at least `milliseconds` without blocking. Rejects with StoppedError as soon as `signal` aborts. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const end = now() + milliseconds;
  throwIfStopped(signal);
  // By the monotonic clock, a Node timer may fire up to a millisecond early.
  for (let left = milliseconds; left > 0; left = end - now()) await timer(left, signal);
}

function timer(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timeout);
      reject(new StoppedError());
    };
    const timeout = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, Math.ceil(milliseconds));
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Runs `work` for at most `milliseconds`. Resolves with whether it ended in time. Rejects with StoppedError as soon as
 * `signal` aborts. In both cases the signal that `work` receives aborts, and the result of `work` is ignored.
 */
export async function runWithin(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (ended: AbortSignal) => Promise<unknown>,
): Promise<boolean> {
  const ended = new AbortController();
  // Every request listens, and there may be many.
  setMaxListeners(0, ended.signal);
  const stop = () => ended.abort();
  throwIfStopped(signal);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const timeIsOver = sleep(milliseconds, ended.signal).then(() => false);
    return await Promise.race([work(ended.signal).then(() => true), timeIsOver]);
  } finally {
    signal?.removeEventListener('abort', stop);
    ended.abort();
  }
}

/** Divides long work into slices: `pause()` yields to the event loop when the current slice is used up. */
export class Slices {
  private start = now();

  constructor(private readonly signal?: AbortSignal) {}

  /** Yields if 10 ms have passed since the last yield. Rejects with StoppedError if the execution was stopped. */
  async pause(): Promise<void> {
    if (now() - this.start < SLICE_MS) return;
    await yieldToEventLoop();
    throwIfStopped(this.signal);
    this.start = now();
  }

  /** The end of the current slice, on the clock of `now()`. */
  get end(): number {
    return this.start + SLICE_MS;
  }
}
