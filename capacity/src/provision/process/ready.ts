import { setTimeout as sleep } from 'node:timers/promises';
import { InputError } from '../../core/errors.js';
import { lastLines, logTail } from '../../core/log-file.js';
import type { InstanceEvent } from '../../model/deployment.js';
import { LOOPBACK } from './host.js';
import type { Running } from './running.js';

/** Long enough for a slow machine's first migration, short enough to wait for. */
const READY_SECONDS = 180;

/** A webhook of an active workflow. */
export interface ProbedWebhook {
  path: string;
  /** Of a workflow of the user's own, which must not be called to see whether it is there. Absent: a load target. */
  method?: string;
}

/**
 * Waits until a pod of n8n is ready: its readiness probe answers, and so does `webhook` where it serves any.
 * @param webhook for pods that serve production webhooks
 * @throws InputError with the last lines of its log when it ends, or is not ready in time
 */
export async function untilReady(
  { pod, ports, supervised }: Running,
  webhook: ProbedWebhook | undefined,
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
    // n8n 0.x says that it is healthy before it has registered its webhooks.
    if (webhook === undefined || (await isRegistered(base, webhook))) return;
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

/** Whether n8n serves the webhook: a load target refuses a call without its token, of others n8n names the methods. */
export async function isRegistered(base: string, { path, method }: ProbedWebhook): Promise<boolean> {
  if (method === undefined) return (await status(`${base}${path}`)) === 403;
  const response = await answer(`${base}${path}`, {
    method: 'OPTIONS',
    headers: { origin: base, 'access-control-request-method': method },
  });
  // n8n below 1.0 says it in the one, n8n since then in the other.
  const methods = response?.headers.get('allow') ?? response?.headers.get('access-control-allow-methods') ?? '';
  return methods.split(/,\s*/).includes(method);
}

const status = async (url: string): Promise<number | undefined> => (await answer(url))?.status;

/** The answer that comes within 2 s. */
async function answer(url: string, init: RequestInit = {}): Promise<Response | undefined> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(2000), redirect: 'manual' });
    await response.arrayBuffer();
    return response;
  } catch {
    return undefined;
  }
}
