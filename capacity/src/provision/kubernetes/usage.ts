import type { TreeUsage } from '../../model/deployment.js';
import type { PodSpec } from 'kubernetes-types/core/v1.js';
import { parseQuantity } from '../../chart/objects.js';

/** Usage of all containers of a pod, and when it was measured, in milliseconds since the epoch. */
export interface PodUsage extends Omit<TreeUsage, 'workingSetBytes' | 'containers'> {
  at: number;
  /** Working set of each container, by its name; those that were not measured are missing. */
  workingSets: Map<string, number>;
}

/** The fields of a kubelet's `stats/summary` that are read. */
export interface Summary {
  pods?: {
    podRef: { name: string; namespace: string };
    containers?: {
      name: string;
      cpu?: { time?: string; usageCoreNanoSeconds?: number };
      memory?: { rssBytes?: number; workingSetBytes?: number };
    }[];
  }[];
}

/** Usage of each pod of a namespace by its name. Pods that the kubelet has not measured yet are missing. */
export function usageOfSummary({ pods = [] }: Summary, namespace: string): Map<string, PodUsage> {
  const usage = new Map<string, PodUsage>();
  for (const { podRef, containers = [] } of pods) {
    const measured = containers.filter((c) => c.cpu?.usageCoreNanoSeconds !== undefined);
    if (podRef.namespace !== namespace || measured.length === 0) continue;
    usage.set(podRef.name, {
      cpuSeconds: sum(measured, (c) => c.cpu!.usageCoreNanoSeconds! / 1e9),
      rssBytes: sum(measured, (c) => c.memory?.rssBytes ?? c.memory?.workingSetBytes ?? 0),
      workingSets: new Map(
        measured.flatMap(({ name, memory }) =>
          memory?.workingSetBytes === undefined ? [] : [[name, memory.workingSetBytes] as const],
        ),
      ),
      processes: measured.length,
      at: Math.min(...measured.map((c) => Date.parse(c.cpu!.time ?? ''))),
    });
  }
  return usage;
}

/** The fields of metrics-server's list of pods that are read. */
export interface PodMetrics {
  items: {
    metadata: { name: string };
    timestamp: string;
    containers: { name: string; usage: { cpu: string; memory: string } }[];
  }[];
}

/** Integrates metrics-server's values, which are mean rates over a window, into counters. */
export class MetricsServerUsage {
  private readonly pods = new Map<string, PodUsage>();

  /** The pods that metrics-server shows now: what it does not show was not seen, whatever it was before. */
  observe({ items }: PodMetrics): Map<string, PodUsage> {
    for (const { metadata, timestamp, containers } of items) {
      const at = Date.parse(timestamp);
      const before = this.pods.get(metadata.name);
      if (before && at <= before.at) continue;
      const cores = sum(containers, ({ usage }) => parseQuantity(usage.cpu));
      const cpuSeconds = before ? before.cpuSeconds + (cores * (at - before.at)) / 1000 : 0;
      const rssBytes = sum(containers, ({ usage }) => parseQuantity(usage.memory));
      // The memory that metrics-server shows is the working set.
      const workingSets = new Map(containers.map(({ name, usage }) => [name, parseQuantity(usage.memory)]));
      this.pods.set(metadata.name, { cpuSeconds, rssBytes, workingSets, processes: containers.length, at });
    }
    return new Map(items.map(({ metadata: { name } }) => [name, this.pods.get(name)!]));
  }
}

/** n8n's own process, by its own metrics. */
export interface ProcessCounters {
  cpuSeconds: number;
  rssBytes: number;
}

/**
 * Interpolates between two measurements of a kubelet (10 s apart with cAdvisor) with n8n's own metrics. The usage of a pod is the
 * last measurement plus the usage of n8n's process since then.
 */
export class CurrentUsage {
  private readonly pods = new Map<string, { measured: PodUsage; own?: ProcessCounters; cpuSeconds: number }>();

  /** @param incarnation identifies the container: a new one counts from 0 */
  of(incarnation: string, measured: PodUsage | undefined, own?: ProcessCounters): TreeUsage | undefined {
    if (!measured) return undefined;
    const before = this.pods.get(incarnation);
    const isNew = before?.measured.at !== measured.at;
    const base = isNew ? own : (before.own ?? own);
    const since = own && base ? Math.max(0, own.cpuSeconds - base.cpuSeconds) : 0;
    const cpuSeconds = Math.max(before?.cpuSeconds ?? 0, measured.cpuSeconds + since);
    this.pods.set(incarnation, { measured, ...(base && { own: base }), cpuSeconds });
    const rssBytes = Math.max(measured.rssBytes, own?.rssBytes ?? 0);
    return { cpuSeconds, rssBytes, processes: measured.processes };
  }
}

/**
 * The working set of a pod with one container, whose limit is the pod's. If a pod has several, some of which may be injected: that
 * of each container with a limit.
 */
export function sumPodMemory(
  { workingSets, at }: PodUsage,
  { containers, initContainers = [] }: PodSpec,
): Pick<TreeUsage, 'workingSetBytes' | 'containers' | 'memoryAt'> {
  const measured = Number.isFinite(at) ? { memoryAt: at } : {};
  const lasting = [...containers, ...initContainers.filter((c) => c.restartPolicy === 'Always')];
  if (lasting.length === 1) {
    const workingSetBytes = workingSets.get(lasting[0]!.name);
    return workingSetBytes === undefined ? {} : { workingSetBytes, ...measured };
  }
  return {
    ...measured,
    containers: lasting.flatMap(({ name, resources }) => {
      const [limit, workingSetBytes] = [resources?.limits?.memory, workingSets.get(name)];
      if (limit === undefined || workingSetBytes === undefined) return [];
      return [{ name, workingSetBytes, limitBytes: parseQuantity(limit) }];
    }),
  };
}

const sum = <T>(items: T[], of: (item: T) => number): number => items.reduce((total, item) => total + of(item), 0);
