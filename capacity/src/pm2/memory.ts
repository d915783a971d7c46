import { UsageError } from '../core/errors.js';
import type { Pod } from '../chart/pods.js';

const MIB = 2 ** 20;

/** What a process may use, in MiB; absent where the chart sets none. */
export interface Memory {
  /** `limits.memory` of the container. */
  limit?: number;
  /** V8's limit of n8n: `--max-old-space-size`. */
  heap?: number;
  /** V8's limit of the task runner, which is a process of its own beside n8n in the same container. */
  runnerHeap?: number;
  /** Resident memory of n8n above which PM2 restarts it: the container's limit less the runner's heap. */
  restart?: number;
}

/**
 * Reads the rendered limits of a pod.
 * @throws UsageError where V8's limit would never be reached
 */
export function memoryOf({ component, container, limits }: Pod): Memory {
  const text = (name: string) => container.env?.find((v) => v.name === name)?.value ?? '';
  const heap = Number(/--max-old-space-size=(\d+)/.exec(text('NODE_OPTIONS'))?.[1] ?? 0);
  const runnerHeap = Number(text('N8N_RUNNERS_MAX_OLD_SPACE_SIZE') || 0);
  const limit = Math.floor((limits.memoryBytes ?? 0) / MIB);
  const restart = limit - runnerHeap;
  if (limit > 0 && restart <= heap)
    throw new UsageError(
      `${component}.resources.limits.memory: ${limit} MiB less the task runner's heap of ${runnerHeap} is not above n8n's heap of ${heap} MiB, and PM2 would restart n8n before V8 collects: raise the limit.`,
    );
  return {
    ...(limit > 0 && { limit, restart }),
    ...(heap > 0 && { heap }),
    ...(runnerHeap > 0 && { runnerHeap }),
  };
}
