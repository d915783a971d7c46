import type Bull from 'bull';
import type { IDataObject } from 'n8n-workflow';
import { credential, run, type FakeExecution } from '../../nodes/queue/execution.js';

/** Parameters and runs of the node that the tests of Bull Queue share. */

export const STATS = { operation: 'stats', window: 0 };
export const WORKERS = { operation: 'workers' };
export const jobsParameters = (state: string, more: IDataObject = {}) => ({
  ...{ operation: 'jobs', state, limit: 50, offset: 0, includeData: false },
  ...more,
});
export const drainParameters = (timeout: number, more: IDataObject = {}) => ({
  ...{ operation: 'waitUntilDrained', waitFor: 'everything', ignoreWorkflows: '', timeout, pollInterval: 100 },
  ...more,
});
export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Cleanups that run at the end of a test, the last one first. */
const cleanups: Array<() => unknown> = [];
export const runCleanups = async (): Promise<void> => {
  while (cleanups.length > 0) await cleanups.pop()!();
};
afterEach(runCleanups);
export const cleanUpAtEnd = <Thing>(thing: Thing, end: (thing: Thing) => unknown): Thing => {
  cleanups.push(() => end(thing));
  return thing;
};

/** Adds a job as n8n does. */
export const addJob = (
  queue: Bull.Queue,
  executionId: string,
  options: Bull.JobOptions & { timestamp?: number } = {},
  workflowId = 'w1',
) => queue.add('job', { executionId, workflowId, loadStaticData: false }, { removeOnComplete: true, ...options });

/** Runs the node with these fields of the credential; returns the JSON of its output items. */
export async function runForJson(
  fields: IDataObject,
  parameters: IDataObject,
  more: Partial<FakeExecution> = {},
): Promise<any[]> {
  const items = await run({ parameters: [parameters], credential: credential(fields), ...more });
  return items.map(({ json }) => json);
}

/** Runs the node, which must fail; returns the code or parameter of the error's cause, and the whole error as text. */
export async function runForFailure(
  fields: IDataObject,
  parameters: IDataObject = STATS,
  more: Partial<FakeExecution> = {},
): Promise<{ code?: string; parameter?: string; message: string }> {
  return runForJson(fields, parameters, more).then(
    (json) => ({ message: `no error, but ${JSON.stringify(json)}` }),
    (error: Error) => {
      const { code, parameter } = error.cause as { code?: string; parameter?: string };
      return { code, parameter, message: `${error.message} ${JSON.stringify(error)}` };
    },
  );
}
