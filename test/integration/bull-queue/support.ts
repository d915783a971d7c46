import type Bull from 'bull';
import type { IDataObject } from 'n8n-workflow';
import { credential, run, type FakeExecution } from '../../nodes/queue/execution.js';

/** What the tests of Bull Queue share: parameters, and runs of the node. */

export const STATS = { operation: 'stats', window: 0 };
export const WORKERS = { operation: 'workers' };
export const jobsOf = (state: string, more: IDataObject = {}) => ({
  ...{ operation: 'jobs', state, limit: 50, offset: 0, includeData: false },
  ...more,
});
export const drained = (timeout: number, more: IDataObject = {}) => ({
  ...{ operation: 'waitUntilDrained', waitFor: 'everything', ignoreWorkflows: '', timeout, pollInterval: 100 },
  ...more,
});
export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls at the end of a test what was handed to it, last first. */
const endings: Array<() => unknown> = [];
export const endNow = async (): Promise<void> => {
  while (endings.length > 0) await endings.pop()!();
};
afterEach(endNow);
export const atEnd = <Thing>(thing: Thing, end: (thing: Thing) => unknown): Thing => {
  endings.push(() => end(thing));
  return thing;
};

/** Adds a job as n8n does. */
export const add = (
  queue: Bull.Queue,
  executionId: string,
  options: Bull.JobOptions & { timestamp?: number } = {},
  workflowId = 'w1',
) => queue.add('job', { executionId, workflowId, loadStaticData: false }, { removeOnComplete: true, ...options });

/** The JSON of the output items of a run with these fields of the credential. */
export async function jsonOf(
  fields: IDataObject,
  parameters: IDataObject,
  more: Partial<FakeExecution> = {},
): Promise<any[]> {
  const items = await run({ parameters: [parameters], credential: credential(fields), ...more });
  return items.map(({ json }) => json);
}

/** The error of a run that must fail: its cause's code or parameter, and all that it holds as text. */
export async function failureOf(
  fields: IDataObject,
  parameters: IDataObject = STATS,
  more: Partial<FakeExecution> = {},
): Promise<{ code?: string; parameter?: string; message: string }> {
  return jsonOf(fields, parameters, more).then(
    (json) => ({ message: `no error, but ${JSON.stringify(json)}` }),
    (error: Error) => {
      const { code, parameter } = error.cause as { code?: string; parameter?: string };
      return { code, parameter, message: `${error.message} ${JSON.stringify(error)}` };
    },
  );
}
