import { UsageError } from '../../core/errors.js';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../core/processes.js';
import type { Progress } from '../../core/progress.js';
import type { Deployment } from '../../model/deployment.js';
import type { Arranged } from './arrangement.js';
import { readCounts } from './counts.js';

/** As long as n8n is given to be ready. */
const SERVING_SECONDS = 180;

/**
 * The deployment once all its processes serve, and not the first of those that share a port: k6 keeps its connections, and
 * one that comes later would get none of them.
 * @throws UsageError when one does not in time
 */
export async function onceAllServe(
  deployment: Deployment,
  arranged: Arranged,
  { signal }: Progress,
): Promise<Deployment> {
  const { endpoints } = deployment.access;
  await allServe(endpoints, arranged, signal);
  return {
    ...deployment,
    async ready() {
      const died = await deployment.ready();
      await allServe(endpoints, arranged, signal);
      return died;
    },
  };
}

/** Asks on a new connection each time, which reaches the next process, until each has begun to count. */
async function allServe(urls: string[], { processes, counts }: Arranged, signal: AbortSignal): Promise<void> {
  const end = Date.now() + SERVING_SECONDS * 1000;
  for (;;) {
    const serving = [...(await readCounts(counts)).keys()].filter(isAlive).length;
    if (serving >= processes) return;
    if (Date.now() > end)
      throw new UsageError(
        `only ${serving} of ${processes} processes serve after ${SERVING_SECONDS} s; the logs beside the record say why.`,
      );
    await Promise.all(urls.map(askOnce));
    await sleep(100, undefined, { signal });
  }
}

function askOnce(url: string): Promise<void> {
  return new Promise((resolve) => {
    const request = get(`${url}/healthz`, { agent: false, timeout: 2000 }, (response) => response.resume());
    request.on('timeout', () => request.destroy());
    request.on('error', () => {}); // the next one may find it up
    request.on('close', resolve);
  });
}
