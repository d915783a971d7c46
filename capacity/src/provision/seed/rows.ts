import { EnvironmentFault, messageOf } from '../../core/errors.js';

/** Executions to put into n8n's database before the load, beside the running n8n. n8n's metrics do not count them. */
export interface Seed {
  executions: number;
  /** Id of the workflow that they were of. */
  workflowId: string;
}

/** Days over which they are spread, until now: by default n8n keeps executions for 14 days. */
export const DAYS = 14;
/** Bytes of what an execution of a small workflow leaves in `execution_data`, about. */
const DATA_BYTES = 2000;

/** What n8n keeps of a run, in the form in which it writes it (the package `flatted`): one node ran and returned a text. */
export const DATA = JSON.stringify([
  { version: 1, startData: '1', resultData: '2', executionData: '3' },
  {},
  { runData: '4', lastNodeExecuted: '5' },
  { contextData: '6', nodeExecutionStack: '7' },
  {},
  'Webhook',
  {},
  [],
  'x'.repeat(DATA_BYTES),
]);

/** What n8n keeps of the workflow with an execution. */
export const workflowData = (id: string): string =>
  JSON.stringify({ id, name: 'seeded', nodes: [], connections: {}, settings: {} });

/** Awaits the work. @throws EnvironmentFault if it fails, the signal's reason if that ended it */
export async function seeding(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    signal.throwIfAborted();
    throw new EnvironmentFault(`--seed-executions: executions could not be put into the database: ${messageOf(error)}`);
  }
}
