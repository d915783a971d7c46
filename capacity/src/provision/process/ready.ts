import { setTimeout as sleep } from 'node:timers/promises';
import { InputError } from '../../errors.js';
import { lastLines, logTail } from '../../log-file.js';
import type { InstanceEvent } from '../deployment.js';
import { LOOPBACK } from './host.js';
import type { Running } from './running.js';

/** Long enough for a slow machine's first migration, short enough to wait for. */
const READY_SECONDS = 180;

/**
 * Waits until a pod of n8n is ready: its readiness probe answers, and so does `webhook` where it serves any.
 * @param webhook path of an active load target, for pods that serve production webhooks
 * @throws InputError with the last lines of its log when it ends, or is not ready in time
 */
export async function untilReady(
  { pod, ports, supervised }: Running,
  webhook: string | undefined,
  events: InstanceEvent[],
  signal: AbortSignal,
): Promise<void> {
  const probe = pod.container.readinessProbe ?? pod.container.startupProbe;
  const base = `http://${LOOPBACK}:${ports.service}`;
  const earlier = events.length;
  const death = () => events.slice(earlier).find((e) => e.instance === pod.name && e.kind === 'died');
  for (const end = Date.now() + READY_SECONDS * 1000; Date.now() < end && !death(); await sleep(250)) {
    signal.throwIfAborted();
    if (supervised.pid === undefined || (await status(`${base}${probe?.httpGet?.path ?? '/healthz'}`)) !== 200)
      continue;
    // n8n 0.x says that it is healthy before it has registered its webhooks; 403 without the token is their own answer.
    if (webhook === undefined || (await status(`${base}${webhook}`)) === 403) return;
  }
  const died = death();
  const what = died
    ? `ended before it was ready (${died.reason}, ${died.detail})`
    : `is not ready after ${READY_SECONDS} s`;
  const { logFile } = supervised.launch;
  throw new InputError(
    `${pod.name} ${what}. The last lines of its log:\n${lastLines(await logTail(logFile))}\nThe whole log: ${logFile}`,
  );
}

/** The HTTP status that answers a GET within 2 s. */
async function status(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000), redirect: 'manual' });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}
