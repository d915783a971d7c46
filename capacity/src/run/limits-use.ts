import { min } from 'simple-statistics';
import { MEMORY_SHARE } from '../judge/memory.js';
import { usageBetween } from '../observe/usage.js';
import type { DeploymentRecord } from '../model/run.js';
import type { Sample } from '../model/sample.js';
import type { StepRecord } from '../model/step.js';

type Deployed = Pick<DeploymentRecord, 'instances' | 'limits'>;

/** A step holds in spite of a CPU limit only below this share of it: the kernel holds back who reaches it for a moment. */
const CPU_SHARE = 0.9;

/** Looks at a heap that tell that garbage collection frees nothing. */
const LEAST_LOOKS = 20;

/** Instances that used more CPU than their limit will allow; none where limits are enforced. */
export function cpuAboveLimit(
  samples: Sample[],
  { instances, limits: { enforced } }: Deployed,
  from: number,
  to: number,
): Pick<StepRecord, 'cpuAboveLimit'> {
  if (enforced) return {};
  const usage = usageBetween(samples, from, to);
  const above = instances.flatMap(({ name, limits: { cpuMillis = Infinity } }) => {
    const cores = usage.get(name)?.meanCores ?? 0;
    const limitCores = cpuMillis / 1000;
    return cores > CPU_SHARE * limitCores ? [{ instance: name, cores, limitCores }] : [];
  });
  return above.length > 0 ? { cpuAboveLimit: above } : {};
}

/** Instances whose heap was full in every look. */
export function heapFull(
  samples: Sample[],
  { instances }: Deployed,
  from: number,
  to: number,
): Pick<StepRecord, 'heapFull'> {
  const looks = samples.filter((s) => s.at >= from && s.at <= to).flatMap((s) => s.instances);
  const full = instances.flatMap(({ name, heapMiB }) => {
    const used = looks.flatMap((look) => (look.name === name ? (look.heapUsedBytes ?? []) : []));
    const limitBytes = (heapMiB ?? Infinity) * 2 ** 20;
    if (used.length < LEAST_LOOKS || min(used) <= MEMORY_SHARE * limitBytes) return [];
    return [{ instance: name, leastBytes: min(used), limitBytes }];
  });
  return full.length > 0 ? { heapFull: full } : {};
}
