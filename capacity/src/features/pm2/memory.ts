import { UsageError } from '../../core/errors.js';
import { heapLimits } from '../../chart/describe.js';
import type { Pod } from '../../chart/pods.js';

/** Memory limits of an app, in MiB; undefined where the chart sets none. */
export interface Memory {
  /** `limits.memory` of the container. */
  limit?: number;
  /** V8's heap limit of n8n: `--max-old-space-size`. */
  heap?: number;
  /** V8's heap limit of the task runner, a separate process in the same container. */
  runnerHeap?: number;
  /** PM2 restarts n8n when its resident memory is above this: the container's limit minus the runner's heap. */
  restart?: number;
}

/**
 * Reads the rendered limits of a pod.
 * @throws UsageError when PM2 would restart n8n before V8 reaches its heap limit
 */
export function memoryLimits(pod: Pod): Memory {
  const { heapMiB: heap = 0, runnerHeapMiB: runnerHeap = 0 } = heapLimits(pod);
  const limit = Math.floor((pod.limits.memoryBytes ?? 0) / 2 ** 20);
  const restart = limit - runnerHeap;
  if (limit > 0 && restart <= heap)
    throw new UsageError(
      `${pod.component}.resources.limits.memory: ${limit} MiB minus the task runner's heap of ${runnerHeap} MiB does not exceed n8n's heap of ${heap} MiB, so PM2 would restart n8n before V8 collects garbage; raise the limit.`,
    );
  return {
    ...(limit > 0 && { limit, restart }),
    ...(heap > 0 && { heap }),
    ...(runnerHeap > 0 && { runnerHeap }),
  };
}
