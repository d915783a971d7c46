import { setTimeout as sleep } from 'node:timers/promises';

/** Options of `waitUntil`. */
export interface WaitOptions {
  /** Longest wait in seconds. */
  seconds: number;
  /** Pause between two calls, in milliseconds. */
  everyMs?: number;
  signal?: AbortSignal;
}

/**
 * Calls `ask` until it returns something other than undefined, null or false, and returns that; undefined if the time is up.
 * Calls it at least once. An error of `ask` ends the wait.
 * @throws the reason of the signal when it is aborted
 */
export async function waitUntil<T>(
  ask: () => T | Promise<T>,
  { seconds, everyMs = 250, signal }: WaitOptions,
): Promise<Exclude<T, false | null | undefined> | undefined> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    signal?.throwIfAborted();
    const answer = await ask();
    if (answer !== undefined && answer !== null && answer !== false)
      return answer as Exclude<T, false | null | undefined>;
    if (performance.now() >= end) return undefined;
    await sleep(everyMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
  }
}
