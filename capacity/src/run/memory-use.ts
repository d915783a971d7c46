import { min } from 'simple-statistics';
import { isMeasuredSince } from '../observe/usage.js';
import type { Component } from '../model/events.js';
import type { DeploymentRecord } from '../model/run.js';
import type { Sample } from '../model/sample.js';
import type { MemoryUse, StepRecord } from '../model/step.js';

/**
 * Share of the samples in which the memory of each instance of a component must have been read. Any sample may hold the peak, and
 * the replica that was not read may be the busiest.
 */
const SEEN_SHARE = 0.5;

/** A part of a run in which memory is measured at least once: metrics-server does so every 15 to 60 s, and shows it later. */
const LONG_MS = 60_000;

/** Of a longer one, the last measurement must be of its last part: memory may rise after the first one. */
const FRESH_MS = 90_000;

/**
 * Returns the most memory that each instance with a limit had in use, including pods that were added later. Also returns the
 * components with enforced limits whose memory was read too seldom, or in a short step not at all.
 */
export function memoryUse(
  samples: Sample[],
  { instances, limits: { enforced } }: Pick<DeploymentRecord, 'instances' | 'limits'>,
  from: number,
  to: number,
): Pick<StepRecord, 'memory' | 'memoryUnseen' | 'memoryUnmeasured'> {
  const limited = instances.filter((i) => i.limits.memoryBytes);
  // Of a pod that was added later only the component is known: where its Deployments differ, the least is safe.
  const findMemoryLimit = (name: string, component: Component): number | undefined => {
    const known = instances.find((i) => i.name === name);
    if (known) return known.limits.memoryBytes;
    const limits = limited.flatMap((i) => (i.component === component ? (i.limits.memoryBytes ?? []) : []));
    return limits.length > 0 ? min(limits) : undefined;
  };
  const most = new Map<string, MemoryUse>();
  const note = (use: MemoryUse) => {
    if (use.usedBytes >= (most.get(use.instance)?.usedBytes ?? 0)) most.set(use.instance, use);
  };
  const within = samples.filter((s) => s.at >= from && s.at <= to);
  for (const { name, component, workingSetBytes, containers, memoryAt } of within.flatMap((s) => s.instances)) {
    // What was measured before belongs to what was before.
    if (!component || !isMeasuredSince({ memoryAt }, from)) continue;
    const limitBytes = findMemoryLimit(name, component);
    if (workingSetBytes !== undefined && limitBytes !== undefined)
      note({ instance: name, component, usedBytes: workingSetBytes, limitBytes });
    // A pod has no limit where one of its containers has none; the others are limited all the same.
    for (const c of containers ?? [])
      note({ instance: `${name} (${c.name})`, component, usedBytes: c.workingSetBytes, limitBytes: c.limitBytes });
  }
  const isFresh = (component: Component) =>
    within.some(({ instances: all }) => {
      const own = all.filter((i) => i.component === component);
      return own.length > 0 && own.every(({ memoryAt }) => (memoryAt ?? to) >= Math.max(from, to - FRESH_MS));
    });
  const isLong = to - from >= LONG_MS;
  const isSeen = (component: Component) => {
    if (isLong && !isFresh(component)) return false;
    const looks = within.filter(({ instances: all }) => {
      const own = all.filter((i) => i.component === component);
      return own.length > 0 && own.every((i) => i.workingSetBytes !== undefined || i.containers?.length);
    });
    return looks.length > 0 && looks.length >= SEEN_SHARE * within.length;
  };
  const judged = enforced ? [...new Set(limited.map((i) => i.component))] : [];
  const unseen = judged.filter((component) => !isSeen(component));
  const unmeasured = judged.filter((component) => isSeen(component) && !isFresh(component));
  return {
    ...(most.size > 0 && { memory: [...most.values()] }),
    ...(unseen.length > 0 && { memoryUnseen: unseen }),
    ...(unmeasured.length > 0 && { memoryUnmeasured: unmeasured }),
  };
}
