import type { Run } from '../operation';
import type { QueueConnection } from '../queue/connection';
import { createUnfinishedReader } from '../queue/unfinished';

/** Whether the data is that of this execution's job. Jobs of n8n below 1.0 do not hold the workflow's id. */
export function isOwnJob(data: unknown, execution: Run['execution']): boolean {
  const { executionId, workflowId = execution.workflowId } = (data ?? {}) as Record<string, unknown>;
  return execution.id !== undefined && String(executionId) === execution.id && workflowId === execution.workflowId;
}

/** Number of active jobs of this execution: 1 in queue mode, where a worker runs it; otherwise 0. */
export async function countOwnJobs(connection: QueueConnection, execution: Run['execution']): Promise<0 | 1> {
  let found: 0 | 1 = 0;
  await createUnfinishedReader(connection, (data) => {
    if (isOwnJob(data, execution)) found = 1;
    return false;
  })();
  return found;
}
