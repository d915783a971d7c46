import type { TreeUsage } from '../../model/deployment.js';
import { quantity } from '../../chart/objects.js';

/** What a pod uses, all its containers together, and when that was measured, in milliseconds since the epoch. */
export interface PodUsage extends TreeUsage {
  at: number;
}

/** A kubelet's `stats/summary`, as far as it is read. */
export interface Summary {
  pods?: {
    podRef: { name: string; namespace: string };
    containers?: {
      cpu?: { time?: string; usageCoreNanoSeconds?: number };
      memory?: { rssBytes?: number; workingSetBytes?: number };
    }[];
  }[];
}

/** Use of each pod of a namespace by its name. Pods are left out while the kubelet has not measured them. */
export function usageOfSummary({ pods = [] }: Summary, namespace: string): Map<string, PodUsage> {
  const usage = new Map<string, PodUsage>();
  for (const { podRef, containers = [] } of pods) {
    const measured = containers.filter((c) => c.cpu?.usageCoreNanoSeconds !== undefined);
    if (podRef.namespace !== namespace || measured.length === 0) continue;
    usage.set(podRef.name, {
      cpuSeconds: sum(measured, (c) => c.cpu!.usageCoreNanoSeconds! / 1e9),
      rssBytes: sum(measured, (c) => c.memory?.rssBytes ?? c.memory?.workingSetBytes ?? 0),
      processes: measured.length,
      at: Math.min(...measured.map((c) => Date.parse(c.cpu!.time ?? ''))),
    });
  }
  return usage;
}

/** metrics-server's list of pods, as far as it is read. */
export interface PodMetrics {
  items: {
    metadata: { name: string };
    timestamp: string;
    containers: { usage: { cpu: string; memory: string } }[];
  }[];
}

/** Adds up what metrics-server says, which is a mean rate over its window and no counter. */
export class MetricsServerUsage {
  private readonly pods = new Map<string, PodUsage>();

  observe({ items }: PodMetrics): Map<string, PodUsage> {
    for (const { metadata, timestamp, containers } of items) {
      const at = Date.parse(timestamp);
      const before = this.pods.get(metadata.name);
      if (before && at <= before.at) continue;
      const cores = sum(containers, ({ usage }) => nanoQuantity(usage.cpu));
      const cpuSeconds = before ? before.cpuSeconds + (cores * (at - before.at)) / 1000 : 0;
      const rssBytes = sum(containers, ({ usage }) => quantity(usage.memory));
      this.pods.set(metadata.name, { cpuSeconds, rssBytes, processes: containers.length, at });
    }
    return this.pods;
  }
}

/** metrics-server writes CPU in billionths or millionths of a core too. */
const nanoQuantity = (text: string): number => {
  const scale = text.endsWith('n') ? 1e-9 : text.endsWith('u') ? 1e-6 : undefined;
  return scale === undefined ? quantity(text) : Number(text.slice(0, -1)) * scale;
};

/** n8n's own process, by its own metrics. */
export interface ProcessCounters {
  cpuSeconds: number;
  rssBytes: number;
}

/**
 * Fills the time between two measurements of a kubelet, 10 s where it takes them by cAdvisor, with what n8n says of its own
 * process: the use of a pod is what was measured, and what that process has used since.
 */
export class CurrentUsage {
  private readonly pods = new Map<string, { measured: PodUsage; own?: ProcessCounters; cpuSeconds: number }>();

  /** @param incarnation which container it is: another one counts from 0 */
  of(incarnation: string, measured: PodUsage | undefined, own?: ProcessCounters): TreeUsage | undefined {
    if (!measured) return undefined;
    const before = this.pods.get(incarnation);
    const isNew = before?.measured.at !== measured.at;
    const base = isNew ? own : (before.own ?? own);
    const since = own && base ? Math.max(0, own.cpuSeconds - base.cpuSeconds) : 0;
    const cpuSeconds = Math.max(before?.cpuSeconds ?? 0, measured.cpuSeconds + since);
    this.pods.set(incarnation, { measured, ...(base && { own: base }), cpuSeconds });
    return { cpuSeconds, rssBytes: Math.max(measured.rssBytes, own?.rssBytes ?? 0), processes: measured.processes };
  }
}

const sum = <T>(items: T[], of: (item: T) => number): number => items.reduce((total, item) => total + of(item), 0);
