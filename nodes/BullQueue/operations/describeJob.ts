import type { IDataObject } from 'n8n-workflow';
import type { JobState } from '../queue/jobs';
import type { Lock } from '../queue/lock';

/** The fields of a job that its description uses. */
interface Described {
  id: string | number;
  data?: unknown;
  timestamp: number;
  attemptsMade: number;
  processedOn?: number;
  finishedOn?: number;
  failedReason?: string;
}

/**
 * The output item of a job, without its data. Times are milliseconds since the epoch, by the clocks of the processes that
 * added and took it. The ids are null in jobs that n8n did not add.
 */
export function describeJob(job: Described, state: JobState | null, at: number, lock?: Lock): IDataObject {
  const { executionId = null, workflowId = null } = (job.data ?? {}) as IDataObject;
  const { processedOn = null, finishedOn = null } = job;
  return {
    jobId: String(job.id),
    state,
    executionId,
    workflowId,
    timestamp: job.timestamp,
    ageMs: Math.max(0, at - job.timestamp),
    attempts: job.attemptsMade,
    processedOn,
    finishedOn,
    ...(lock && { runningMs: processedOn === null ? null : Math.max(0, at - processedOn), lock: { ...lock } }),
    ...(state === 'failed' && { failedReason: job.failedReason ?? null }),
  };
}
