import { toMebibytes, formatMib, formatPercent } from '../core/formats.js';
import type { StepRecord } from '../model/step.js';
import type { Reason } from '../model/verdict.js';

/** Share of its memory limit above which an instance is about to be OOM-killed: n8n's next peak takes it there. */
export const MEMORY_SHARE = 0.9;

/** Instances that used nearly all of their memory. */
export function memoryReasons({ memory = [], heapFull = [] }: StepRecord): Reason[] {
  const heaps = heapFull.map(({ instance, leastBytes, limitBytes }): Reason => {
    const [least, limit] = [leastBytes, limitBytes].map((bytes) => formatMib(toMebibytes(bytes)));
    const text = `${instance}'s heap never held less than ${least} of ${limit}: V8 ends a process whose heap stays full`;
    return { code: 'memory', clear: true, text };
  });
  const full = memory
    .filter(({ usedBytes, limitBytes }) => usedBytes > MEMORY_SHARE * limitBytes)
    .map(({ instance, usedBytes, limitBytes }): Reason => ({
      code: 'memory',
      clear: true,
      text: `${instance} used ${formatMib(toMebibytes(usedBytes))} of ${formatMib(toMebibytes(limitBytes))}, ${formatPercent(usedBytes / limitBytes)} of its memory limit; ${formatPercent(MEMORY_SHARE)} is the most that is safe`,
    }));
  return [...full, ...heaps];
}

/** Components whose memory could not be read: they may be near their limit. */
export const memoryUnseen = ({ memoryUnseen: unseen = [] }: StepRecord): Reason[] =>
  unseen.map((component) => ({
    code: 'count-unreadable',
    text: `the memory of ${component} could not be read, so it is unknown whether it is near its limit`,
  }));

/** Components whose memory was not measured in a short step: it proves no rate. */
export const memoryUnmeasured = ({ memoryUnmeasured: unmeasured = [] }: StepRecord): Reason[] =>
  unmeasured.map((component) => ({
    code: 'unproven',
    text: `the memory of ${component} was not measured during this load, which was shorter than a minute: it is unknown whether it is near its limit`,
  }));

/** Whether the memory of each component was measured in one of the steps. */
export const isMemoryMeasured = ([first, ...more]: StepRecord[]): boolean =>
  (first?.memoryUnmeasured ?? []).every((component) => more.some((s) => !s.memoryUnmeasured?.includes(component)));
