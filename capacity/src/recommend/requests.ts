import { toMebibytes } from '../core/formats.js';
import { isMeasuredSince, usageBetween, type Usage } from '../observe/usage.js';
import { runsN8n, type Component } from '../model/events.js';
import type { DeploymentRecord } from '../model/run.js';
import type { StepRecord } from '../model/step.js';
import type { RecordedRun } from '../record/recorder.js';
import { stepName, type Setting } from './setting.js';

/** Requests are the highest use in a sustained step times this, rounded up. */
const REQUEST_HEADROOM = 1.15;
const CPU_STEP_MILLIS = 50;
const MEMORY_STEP_MIB = 64;

/** Name of n8n's container in the chart's pods. */
const N8N_CONTAINER = 'n8n';

type Instance = DeploymentRecord['instances'][number];

/** CPU and memory to request for a component: what it used while the rate held, and 15 % more; refused if its limit is too small for that. */
export function requests(
  component: Component,
  instances: Instance[],
  steps: StepRecord[],
  samples: RecordedRun['samples'],
): Setting[] | { refused: string } {
  const { limits } = instances[0]!;
  const own = mostOfContainer(instances, steps, samples);
  // The CPU time of a pod of several containers is not that of one of them.
  if (own) return memorySetting(component, own);
  const seen = steps.flatMap((step) => {
    const usage = usageBetween(samples, step.measuredFrom, step.measuredTo);
    return instances.map(({ name }) => ({ step, usage: usage.get(name) }));
  });
  const most = (of: (u: Usage) => number | undefined) =>
    seen.reduce<{ value: number; step?: StepRecord }>(
      (top, { step, usage }) => {
        const value = (usage && of(usage)) ?? 0;
        return value > top.value ? { value, step } : top;
      },
      { value: 0 },
    );
  const cpu = most((u) => u.meanCores);
  const memory = most((u) => u.peakMemoryBytes);
  if (!cpu.step || !memory.step) return [];
  const cpuMillis = roundUp(cpu.value * 1000 * REQUEST_HEADROOM, CPU_STEP_MILLIS);
  // A process may use all of its CPU and still be fast enough; one that uses all of its memory is killed.
  const isAll = limits.cpuMillis !== undefined && cpuMillis > limits.cpuMillis;
  const requested = memorySetting(component, {
    usedBytes: memory.value,
    step: memory.step,
    limitBytes: limits.memoryBytes,
  });
  if ('refused' in requested) return requested;
  return [
    {
      path: [component, 'resources', 'requests', 'cpu'],
      value: `${isAll ? limits.cpuMillis : cpuMillis}m`,
      source: `measured: ${cpu.value.toFixed(2)} cores in ${stepName(cpu.step)}, ${isAll ? 'nearly all of its limit' : 'plus 15 %'}`,
    },
    ...requested,
  ];
}

/** The most memory in use, in which step, and what it may be. */
interface Peak {
  usedBytes: number;
  step: StepRecord;
  limitBytes: number | undefined;
}

/** The most memory of n8n's own container, in pods of several; undefined in others. */
function mostOfContainer(
  instances: Instance[],
  steps: StepRecord[],
  samples: RecordedRun['samples'],
): Peak | undefined {
  const names = new Set(instances.map(({ name }) => name));
  const peaks = steps.flatMap((step) =>
    samples
      .filter(({ at }) => at >= step.measuredFrom && at <= step.measuredTo)
      .flatMap((sample) => sample.instances.filter(({ name }) => names.has(name)))
      .filter((instance) => isMeasuredSince(instance, step.measuredFrom))
      .flatMap(({ containers = [] }) => containers.filter(({ name }) => name === N8N_CONTAINER))
      .map(({ workingSetBytes, limitBytes }): Peak => ({ usedBytes: workingSetBytes, step, limitBytes })),
  );
  return peaks.reduce<Peak | undefined>(
    (most, peak) => (most && most.usedBytes >= peak.usedBytes ? most : peak),
    undefined,
  );
}

/** The request of memory for a peak; none for a database whose memory cannot be told, refused where it does not fit the limit. */
function memorySetting(component: Component, { usedBytes, step, limitBytes }: Peak): Setting[] | { refused: string } {
  const memoryMiB = memoryRequest(component, usedBytes, limitBytes);
  if (typeof memoryMiB === 'string') return { refused: `${memoryMiB} (${stepName(step)})` };
  if (memoryMiB === undefined) return [];
  const source = `measured: peak ${toMebibytes(usedBytes)} MiB in ${stepName(step)}, plus 15 %`;
  return [{ path: [component, 'resources', 'requests', 'memory'], value: `${memoryMiB}Mi`, source }];
}

/**
 * The memory to request, in MiB; a text if it does not fit the limit, and why. Undefined for a database whose limit is below
 * its resident memory, which counts the pages that its processes share several times.
 */
function memoryRequest(
  component: Component,
  usedBytes: number,
  limitBytes: number | undefined,
): number | string | undefined {
  const needed = (usedBytes / 2 ** 20) * REQUEST_HEADROOM;
  const limit = limitBytes === undefined ? Infinity : limitBytes / 2 ** 20;
  if (needed <= limit) return Math.min(limit, roundUp(needed, MEMORY_STEP_MIB));
  if (!runsN8n(component)) return undefined;
  const value = `${component}.resources.limits.memory`;
  return `${component} used ${toMebibytes(usedBytes)} MiB, and with 15 % of headroom needs ${roundUp(needed, MEMORY_STEP_MIB)} MiB, more than its limit of ${Math.round(limit)} MiB; raise ${value} and run again`;
}

const roundUp = (value: number, to: number) => Math.max(to, Math.ceil(value / to) * to);
