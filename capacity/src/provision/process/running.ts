import type { ProcessSource } from '../../observe/runner-watch.js';
import type { Cgroup } from './cgroup.js';
import { LOOPBACK, type HostPorts } from './host.js';
import type { Pod } from '../../chart/pods.js';
import type { ProbeRunner } from './probes.js';
import type { Supervised } from './supervise.js';

/** A pod as it runs on this host. */
export interface Running {
  pod: Pod;
  ports: HostPorts;
  supervised: Supervised;
  probes: ProbeRunner;
  cgroup?: Cgroup;
}

export const isDatabase = ({ pod }: Running): boolean => pod.component === 'postgresql' || pod.component === 'redis';

/** The pods that serve production webhooks: webhook processors where there are any, else main. */
export function frontOf<T extends { component: Pod['component'] }>(pods: T[]): T[] {
  const processors = pods.filter((p) => p.component === 'webhook');
  return processors.length > 0 ? processors : pods.filter((p) => p.component === 'main');
}

/** Where a pod is looked at. */
export function sourceOf(running: Running): ProcessSource {
  const { pod, ports, supervised } = running;
  return {
    name: pod.name,
    component: pod.component,
    pid: () => supervised.pid,
    ...(!isDatabase(running) &&
      !supervised.launch.shared && { metricsUrl: `http://${LOOPBACK}:${ports.service}/metrics` }),
  };
}

/** `main, 2 × worker`: what runs, for people. */
export function describe(running: Running[]): string {
  const counts = new Map<string, number>();
  for (const { pod } of running) counts.set(pod.component, (counts.get(pod.component) ?? 0) + 1);
  return [...counts].map(([component, n]) => (n === 1 ? component : `${n} × ${component}`)).join(', ');
}
