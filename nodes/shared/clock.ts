import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';

/** Longest stretch, in milliseconds, that work which need not block keeps the event loop. */
const SLICE_MS = 10;

/** Milliseconds since an arbitrary start, monotonic. */
export const now = (): number => performance.now();

/** Milliseconds of processor time that this thread has had; below Node 24, that this process has had. */
export function cpuNow(): number {
  const { threadCpuUsage } = process as { threadCpuUsage?: () => NodeJS.CpuUsage };
  const { user, system } = threadCpuUsage?.call(process) ?? process.cpuUsage();
  return (user + system) / 1000;
}

/** Rounded up to a microsecond, so that what took at least x never reads as less than x. */
export const toMicroseconds = (milliseconds: number): number => Math.ceil(milliseconds * 1000) / 1000;

/** Lets the event loop serve what is waiting, health probes among it. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Throws when the execution was stopped. */
export function throwIfStopped(signal?: AbortSignal): void {
  if (signal?.aborted) throw new StoppedError();
}

/** The execution was stopped: no further item may start, and no item failed. */
export class StoppedError extends Error {
  constructor() {
    super('The execution was stopped');
  }
}

/** Waits without blocking, never less than `milliseconds`. Rejects with `StoppedError` as soon as `signal` aborts. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const end = now() + milliseconds;
  throwIfStopped(signal);
  // A Node timer may fire up to a millisecond early by the monotonic clock.
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
 * Gives `work` at most `milliseconds`. Resolves with whether it ended in time, rejects with `StoppedError` as soon as
 * `signal` aborts. The signal that `work` gets aborts in both cases; what it does after that is nobody's.
 */
export async function within(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (ended: AbortSignal) => Promise<unknown>,
): Promise<boolean> {
  const ended = new AbortController();
  // Any number of requests may listen.
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

/** Keeps long work polite: `pause()` yields to the event loop when the present slice is used up. */
export class Slices {
  private start = now();

  constructor(private readonly signal?: AbortSignal) {}

  /** Yields if 10 ms have passed since the last yield. Rejects with `StoppedError` when the execution was stopped. */
  async pause(): Promise<void> {
    if (now() - this.start < SLICE_MS) return;
    await yieldToEventLoop();
    throwIfStopped(this.signal);
    this.start = now();
  }

  /** When the present slice ends, on the clock of `now()`. */
  get end(): number {
    return this.start + SLICE_MS;
  }
}
