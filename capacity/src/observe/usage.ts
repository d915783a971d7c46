import { max } from 'simple-statistics';
import type { Sample } from '../model/sample.js';
import { computeRate, type Seen } from './inside.js';

/** CPU and memory of one instance over a period. */
export interface Usage {
  name: string;
  /** Mean and busiest second, in cores. */
  meanCores: number;
  peakCores: number;
  peakRssBytes: number;
  /**
   * Most memory in use: the working set where it was seen, else the resident memory, which counts shared pages twice. Undefined where
   * all that was seen was measured before that time.
   */
  peakMemoryBytes?: number;
}

/** CPU and memory of each instance between two times, from the samples in between. */
export function usageBetween(samples: Sample[], from: number, to: number): Map<string, Usage> {
  const window = samples.filter((s) => s.at >= from && s.at <= to);
  const names = new Set(window.flatMap((s) => s.instances.map((i) => i.name)));
  return new Map([...names].map((name) => [name, computeUsage(name, window, from)]));
}

/** Whether the memory of a look was measured since a time: metrics-server shows a measurement for up to 60 s. */
export const isMeasuredSince = ({ memoryAt }: Pick<Seen['instance'], 'memoryAt'>, from: number): boolean =>
  (memoryAt ?? from) >= from;

function computeUsage(name: string, window: Sample[], from: number): Usage {
  const seen = window.flatMap((s) => {
    const instance = s.instances.find((i) => i.name === name);
    return instance && instance.processes > 0 ? [{ at: s.at, instance }] : [];
  });
  const measured = seen.map((s) => s.instance).filter((instance) => isMeasuredSince(instance, from));
  const workingSets = measured.flatMap((instance) => instance.workingSetBytes ?? []);
  const memory = workingSets.length > 0 ? workingSets : measured.map((instance) => instance.rssBytes);
  const peakRssBytes = max([0, ...seen.map((s) => s.instance.rssBytes)]);
  const cores = seen.slice(1).map((now, i) => coresBetween(seen[i]!, now));
  return {
    name,
    meanCores: computeRate(seen, (instance) => instance.cpuSeconds) ?? 0,
    peakCores: max([0, ...cores]),
    peakRssBytes,
    ...(memory.length > 0 && { peakMemoryBytes: max(memory) }),
  };
}

/** Cores used between two samples; 0 if the process restarted in between. */
function coresBetween(before: Seen, now: Seen): number {
  const seconds = (now.at - before.at) / 1000;
  const cpu = now.instance.cpuSeconds - before.instance.cpuSeconds;
  return seconds > 0 && cpu > 0 ? cpu / seconds : 0;
}
