import { isRegistered, status, type ProbedWebhook } from '../webhook.js';
import type { EventLog } from '../../model/deployment.js';
import { NotReady } from '../../core/errors.js';
import { waitUntil } from '../../core/wait-until.js';
import { logExcerpt } from '../../core/log-file.js';
import { LOOPBACK } from './host.js';
import type { Running } from './running.js';

/** Long enough for a slow machine's first migration, short enough to wait for. */
const READY_SECONDS = 180;

/**
 * Waits until a pod of n8n is ready: its readiness probe answers, and so does `webhook` where it serves any.
 * @param webhook for pods that serve production webhooks
 * @throws NotReady with the last lines of its log when it ends, or is not ready in time
 */
export async function untilReady(
  { pod, ports, supervised }: Running,
  webhook: ProbedWebhook | undefined,
  events: EventLog,
  signal: AbortSignal,
): Promise<void> {
  const probe = pod.container.readinessProbe ?? pod.container.startupProbe;
  const base = `http://${LOOPBACK}:${ports.service}`;
  const mark = events.mark;
  const death = () => events.since(mark).find((e) => e.instance === pod.name && e.kind === 'died');
  const isReady = async () => {
    if (supervised.pid === undefined || (await status(`${base}${probe?.httpGet?.path ?? '/healthz'}`)) !== 200)
      return false;
    // n8n 0.x reports healthy before it has registered its webhooks.
    return webhook === undefined || isRegistered(base, webhook);
  };
  const ended = await waitUntil(async () => death() ?? ((await isReady()) && ('ready' as const)), {
    seconds: READY_SECONDS,
    signal,
  });
  if (ended === 'ready') return;
  const died = ended;
  const what = died
    ? `ended before it was ready (${died.reason}, ${died.detail})`
    : `is not ready after ${READY_SECONDS} s`;
  const { logFile } = supervised.launch;
  throw new NotReady(pod.name, what, await logExcerpt(logFile));
}
