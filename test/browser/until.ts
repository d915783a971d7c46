import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when the condition holds, looking every 0.2 s; whatever it throws ends the wait. */
export async function until(what: string, seconds: number, condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(200)) if (await condition()) return;
  throw new Error(`${what}: not so after ${seconds} s`);
}
