import type { DeploymentRecord } from '../model/run.js';
import type { Sample } from '../model/sample.js';
import type { MemoryUse, StepRecord } from '../model/step.js';

/**
 * Most memory that each instance with a limit had in use in that time, pods that were added later included; and the components
 * of which none was seen although their limits are enforced.
 */
export function memoryUse(
  samples: Sample[],
  { instances, limits: { enforced } }: Pick<DeploymentRecord, 'instances' | 'limits'>,
  from: number,
  to: number,
): Pick<StepRecord, 'memory' | 'memoryUnseen'> {
  const limited = new Map(
    instances.flatMap((i) => (i.limits.memoryBytes ? [[i.component, i.limits.memoryBytes]] : [])),
  );
  const most = new Map<string, MemoryUse>();
  const note = (use: MemoryUse) => {
    if (use.usedBytes >= (most.get(use.instance)?.usedBytes ?? 0)) most.set(use.instance, use);
  };
  for (const { name, component, workingSetBytes, containers } of samples
    .filter((s) => s.at >= from && s.at <= to)
    .flatMap((s) => s.instances)) {
    const limitBytes = component && limited.get(component);
    if (!component || limitBytes === undefined) continue;
    if (workingSetBytes !== undefined) note({ instance: name, component, usedBytes: workingSetBytes, limitBytes });
    for (const c of containers ?? [])
      note({ instance: `${name} (${c.name})`, component, usedBytes: c.workingSetBytes, limitBytes: c.limitBytes });
  }
  const seen = new Set([...most.values()].map((use) => use.component));
  const unseen = enforced ? [...limited.keys()].filter((component) => !seen.has(component)) : [];
  return { ...(most.size > 0 && { memory: [...most.values()] }), ...(unseen.length > 0 && { memoryUnseen: unseen }) };
}
