import { setTimeout as sleep } from 'node:timers/promises';
import type { StepRecord } from '../model/step.js';
import type { Sample } from '../model/sample.js';
import { Interrupted } from '../core/errors.js';
import type { Sampler } from '../observe/sampler.js';
import type { LoadPlan } from '../model/plan.js';
import { longestExecution, type StepContext } from './context.js';

/** Executions that have ended since the deployment was ready. */
export interface Counted {
  succeeded: number;
  failed: number;
  /** Of asynchronous sub-workflows. */
  asynchronous?: { started: number; succeeded: number; failed: number };
}

const COUNT_TIMEOUT_MS = 5000;
const COUNT_TRIES = 5;
/** How long a user who ends a step waits for executions that go on after their answer. */
const CUT_DRAIN_MS = 10_000;

/** Tries for some seconds, since n8n may be too busy to answer at once; undefined when the count stays unreadable. */
export async function countedExecutions(sampler: Sampler, signal: AbortSignal): Promise<Counted | undefined> {
  for (let i = 0; i < COUNT_TRIES && sampler.canCount && !signal.aborted; i++) {
    const { executions } = await sampler.sample(COUNT_TIMEOUT_MS);
    if (executions) return executions;
    await sleep(1000);
  }
  return undefined;
}

/**
 * Waits until as many executions have ended as were accepted, at most the plan's drain time beyond the time of one.
 * @param accepted answered requests, each of which started an execution
 * @param cutAt when the user ended the step; it then waits for 10 s at most
 * @returns null when the count cannot be read
 */
export async function drain(
  context: StepContext,
  load: LoadPlan,
  before: Counted,
  accepted: number,
  cutAt?: number,
): Promise<StepRecord['executions']> {
  const start = Date.now();
  const whole = (context.plan.drainSeconds + longestExecution(load)) * 1000;
  const most = cutAt === undefined ? whole : Math.min(whole, CUT_DRAIN_MS);
  for (;;) {
    const now =
      cutAt === undefined
        ? await countedExecutions(context.sampler, context.progress.signal)
        : (await context.sampler.sample(COUNT_TIMEOUT_MS)).executions;
    if (context.progress.signal.aborted && cutAt === undefined) throw new Interrupted('interrupted');
    if (!now) return null;
    const failed = now.failed - before.failed;
    const completed = now.succeeded - before.succeeded + failed;
    const waited = Date.now() - start;
    if (waited > most && !context.sampler.counting) return null;
    const asynchronous = context.countsAsynchronous ? { asynchronous: asynchronousSince(before, now) } : {};
    const isEnded = completed >= accepted && !isUnderWay(asynchronous.asynchronous);
    if (isEnded || waited > most) return { accepted, completed, failed, drainSeconds: waited / 1000, ...asynchronous };
    context.progress.update(`draining: ${completed} of ${accepted} executions have ended`);
    await sleep(250);
  }
}

type AsynchronousRecord = NonNullable<NonNullable<StepRecord['executions']>['asynchronous']>;

/** Executions of asynchronous sub-workflows since a count; null if one of the counts is not known. */
function asynchronousSince(
  { asynchronous: before }: Counted,
  { asynchronous: now }: Counted,
): AsynchronousRecord | null {
  if (!before || !now) return null;
  const failed = now.failed - before.failed;
  return { started: now.started - before.started, completed: now.succeeded - before.succeeded + failed, failed };
}

const isUnderWay = (asynchronous: AsynchronousRecord | null | undefined): boolean =>
  asynchronous !== null && asynchronous !== undefined && asynchronous.completed < asynchronous.started;

/**
 * Executions accepted but not ended, with those of asynchronous sub-workflows, at each sample of the measured part.
 * @param sent times of the accepted requests in order, in milliseconds since the epoch
 * @param executionSeconds what an execution takes by design, at least: those accepted within it do not wait
 */
export function backlog(
  samples: Sample[],
  sent: Float64Array,
  before: Counted,
  { from, to, executionSeconds }: { from: number; to: number; executionSeconds: number },
): StepRecord['backlog'] {
  let [accepted, due] = [0, 0];
  return samples
    .filter((s) => s.executions && s.at >= from && s.at <= to)
    .map((s) => {
      while (accepted < sent.length && sent[accepted]! <= s.at) accepted++;
      const ended = s.executions!.succeeded + s.executions!.failed - before.succeeded - before.failed;
      while (due < sent.length && sent[due]! + executionSeconds * 1000 <= s.at) due++;
      const succeeded = s.executions!.succeeded - before.succeeded;
      const waiting = Math.max(0, due - ended);
      const at = (s.at - from) / 1000;
      const { started = 0, completed = 0 } = asynchronousSince(before, s.executions!) ?? {};
      const executions = accepted - ended + started - completed;
      return { at, executions, waiting, succeeded, failed: ended - succeeded };
    });
}
