import { setTimeout as sleep } from 'node:timers/promises';

/** How long and how often to ask. */
export interface WaitOptions {
  /** Longest wait in seconds. */
  seconds: number;
  /** Pause between two questions in milliseconds. */
  everyMs?: number;
  signal?: AbortSignal;
}

/**
 * Asks until the answer is neither undefined, null nor false, and returns it; undefined when the time is up. Asks at least
 * once. What `ask` throws ends the wait.
 * @throws the signal's reason when it is aborted
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
