import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until the condition holds, checking every 0.2 s.
 * @param what condition as text, for the error
 * @throws Error after the given seconds, or the error that the condition throws
 */
export async function waitUntilTrue(what: string, seconds: number, condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(200)) if (await condition()) return;
  throw new Error(`timed out after ${seconds} s: ${what}`);
}
