import type { Execution } from './executions';
import type { ReadJob } from './queue/snapshot';

/** Statuses of an execution that will run or runs. */
const IN_PROGRESS = ['new', 'running'];
/** Statuses of an execution that has ended. Old versions of n8n 1.x say `failed` for `error`. */
const ENDED = ['success', 'error', 'failed', 'crashed', 'canceled'];

/**
 * Modes whose executions n8n puts into the queue. Read in `workflow-runner.js` of 1.123.81 and 2.41.1. A sub-workflow
 * (`integrated`) runs in the job of its caller, `cli` and `internal` run in the process that starts them. Of other modes
 * nothing is concluded.
 */
const ENQUEUED = ['webhook', 'trigger', 'error', 'retry', 'chat'];

/** Mismatches between n8n's executions and the jobs of the queue. */
export interface Findings {
  /** Executions that will run or run, without a job. */
  withoutJob: Execution[];
  /** Jobs that wait or run, although their execution has ended. */
  ended: Array<{ job: ReadJob; execution: Execution }>;
  /** Jobs that wait or run, and whose execution is not among the input. */
  notListed: ReadJob[];
}

/** The result of a comparison. */
export interface Comparison extends Findings {
  /** How many executions in progress must have a job, and how many need none. */
  compared: number;
  needNoJob: number;
}

/**
 * Compares executions with the unfinished jobs of the queue. Jobs that do not hold the id of an execution are not n8n's and
 * are left out. If an execution is given twice, the status of an ended one counts.
 * @param manualHaveJobs whether n8n puts manual executions into the queue: OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS
 */
export function compareWithJobs(executions: Execution[], jobs: ReadJob[], manualHaveJobs: boolean): Comparison {
  const known = new Map<string, Execution>();
  for (const execution of executions) {
    if (!hasEnded(known.get(execution.id))) known.set(execution.id, execution);
  }
  const withId = jobs.flatMap((job) => {
    const id = readExecutionId(job);
    return id === undefined ? [] : [{ id, job }];
  });
  const queued = new Set(withId.map(({ id }) => id));
  const needsJob = ({ mode }: Execution) =>
    mode === undefined || ENQUEUED.includes(mode) || (manualHaveJobs && mode === 'manual');

  const inProgress = [...known.values()].filter(({ status }) => IN_PROGRESS.includes(status));
  const compared = inProgress.filter(needsJob);
  return {
    compared: compared.length,
    needNoJob: inProgress.length - compared.length,
    withoutJob: compared.filter(({ id }) => !queued.has(id)),
    ended: withId.flatMap(({ id, job }) => {
      const execution = known.get(id);
      return execution && hasEnded(execution) ? [{ job, execution }] : [];
    }),
    notListed: withId.filter(({ id }) => !known.has(id)).map(({ job }) => job),
  };
}

/** Whether anything does not fit. */
export const hasFindings = ({ withoutJob, ended, notListed }: Findings): boolean =>
  withoutJob.length + ended.length + notListed.length > 0;

/** The findings of `later` that `earlier` has, too: what was in the middle of a change is gone. */
export function commonFindings(earlier: Findings, later: Findings): Findings {
  const executions = new Set(earlier.withoutJob.map(({ id }) => id));
  const jobs = new Set([...earlier.ended.map(({ job }) => job), ...earlier.notListed].map(jobKey));
  return {
    withoutJob: later.withoutJob.filter(({ id }) => executions.has(id)),
    ended: later.ended.filter(({ job }) => jobs.has(jobKey(job))),
    notListed: later.notListed.filter((job) => jobs.has(jobKey(job))),
  };
}

const hasEnded = (execution: Execution | undefined): boolean =>
  execution !== undefined && ENDED.includes(execution.status);

/** Each queue numbers its jobs. */
const jobKey = ({ queue, id }: ReadJob): string => `${queue}:${id}`;

/** The id of the execution that a job runs, as text: n8n below 1.0 has numbers. Undefined if it is not a job of n8n. */
export function readExecutionId({ data }: Pick<ReadJob, 'data'>): string | undefined {
  const { executionId } = (data ?? {}) as { executionId?: unknown };
  return typeof executionId === 'string' || typeof executionId === 'number' ? String(executionId) : undefined;
}
