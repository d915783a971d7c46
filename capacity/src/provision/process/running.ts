import { runsN8n } from '../../model/events.js';
import { LOOPBACK } from '../../core/loopback.js';
import { NotReady } from '../../core/errors.js';
import { readLogExcerpt } from '../../core/log-file.js';
import { waitUntil } from '../../core/wait-until.js';
import type { Pod } from '../../chart/pods.js';
import type { EventLog } from '../../model/deployment.js';
import type { ProcessSource } from '../../observe/runner-process-watch.js';
import { isRegistered, status, type ProbedWebhook } from '../webhook.js';
import type { Cgroup } from './cgroup.js';
import type { HostPorts } from './host.js';
import { probeUrl, type ProbeRunner } from './probes.js';
import type { Supervised } from './supervise.js';

/** A pod that runs on this host. */
export interface Running {
  pod: Pod;
  ports: HostPorts;
  supervised: Supervised;
  probes: ProbeRunner;
  cgroup?: Cgroup;
}

export const isDatabase = ({ pod }: Running): boolean => !runsN8n(pod.component);

/** The pods that serve production webhooks: webhook processors where there are any, else main. */
export function webhookPods<T extends { component: Pod['component'] }>(pods: T[]): T[] {
  const processors = pods.filter((p) => p.component === 'webhook');
  return processors.length > 0 ? processors : pods.filter((p) => p.component === 'main');
}

/** How a pod is observed. */
export function describeSource(running: Running): ProcessSource {
  const { pod, ports, cgroup } = running;
  // An upgrade replaces it.
  const supervised = () => running.supervised;
  return {
    name: pod.name,
    component: pod.component,
    pid: () => supervised().pid,
    ...(pod.component !== 'postgresql' && !supervised().launch.shared && { hasMainThread: true as const }),
    ...(cgroup && { workingSet: () => cgroup.workingSet() }),
    ...(!isDatabase(running) &&
      !supervised().launch.shared && { metricsUrl: `http://${LOOPBACK}:${ports.service}/metrics` }),
  };
}

/** The running components for people: `main, 2 × worker`. */
export function describe(running: Running[]): string {
  const counts = new Map<string, number>();
  for (const { pod } of running) counts.set(pod.component, (counts.get(pod.component) ?? 0) + 1);
  return [...counts].map(([component, n]) => (n === 1 ? component : `${n} × ${component}`)).join(', ');
}

/** Long enough for the first migration on a slow machine. */
const READY_SECONDS = 180;

/**
 * Waits until a pod of n8n is ready: its readiness probe succeeds and it serves `webhook`.
 * @param webhook undefined for pods that serve no production webhooks
 * @throws NotReady with the end of its log when it ends or is not ready after 180 s
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
    if (supervised.pid === undefined || (await status(probeUrl(ports.service, probe, '/healthz'))) !== 200)
      return false;
    // n8n 0.x reports healthy before it has registered its webhooks.
    return webhook === undefined || isRegistered(base, webhook);
  };
  const ended = await waitUntil(async () => death() ?? ((await isReady()) && ('ready' as const)), {
    seconds: READY_SECONDS,
    signal,
  });
  if (ended === 'ready') return;
  const what = ended
    ? `ended before it was ready (${ended.reason}, ${ended.detail})`
    : `is not ready after ${READY_SECONDS} s`;
  const { logFile } = supervised.launch;
  throw new NotReady(pod.name, what, await readLogExcerpt(logFile));
}
