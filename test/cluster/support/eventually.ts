import { setTimeout as sleep } from 'node:timers/promises';

const PERIOD_MS = 500;

/**
 * Asks again until there is an answer: resolves to the first one that is neither undefined nor false. An attempt that
 * throws counts as none; after so many seconds this throws what was waited for and the last reason.
 */
export async function eventually<T>(
  what: string,
  seconds: number,
  attempt: () => Promise<T | undefined | false>,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  let reason: unknown;
  for (;;) {
    try {
      const answer = await attempt();
      if (answer !== undefined && answer !== false) return answer;
      reason = undefined;
    } catch (error) {
      reason = error;
    }
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`, { cause: reason });
    await sleep(PERIOD_MS);
  }
}

/** Seconds that something took, to one decimal. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begin = Date.now();
  await work();
  return Math.round((Date.now() - begin) / 100) / 10;
}

/** Prints what was measured: Jest's console would add where it was called. */
export function report(line: string): void {
  process.stderr.write(`… ${line}\n`);
}
