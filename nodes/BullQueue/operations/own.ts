import type { Run } from '../operation';
import type { QueueConnection } from '../queue/connection';
import { unfinishedReader } from '../queue/unfinished';

/** Whether it is the data of the job of this execution. Jobs of n8n below 1.0 do not hold the workflow's id. */
export function isOwn(data: unknown, execution: Run['execution']): boolean {
  const { executionId, workflowId = execution.workflowId } = (data ?? {}) as Record<string, unknown>;
  return execution.id !== undefined && String(executionId) === execution.id && workflowId === execution.workflowId;
}

/** How many of the active jobs are that of this execution: 1 in queue mode, in which a worker runs it; otherwise 0. */
export async function ownJobs(connection: QueueConnection, execution: Run['execution']): Promise<0 | 1> {
  let found: 0 | 1 = 0;
  await unfinishedReader(connection, (data) => {
    if (isOwn(data, execution)) found = 1;
    return false;
  })();
  return found;
}
