import type { StepRecord } from '../model/step.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../core/errors.js';
import type { LoadPlan } from '../model/plan.js';
import { longestExecution, type StepContext } from './context.js';
import { countedExecutions } from './executions.js';

/** When no execution has ended for the time of one and this long, the step before has left nothing. */
const QUIET_MS = 3000;
/** The longest wait for the executions of a broken step. */
const SETTLE_MS = 300_000;

/** The deployment did not recover from a step; the steps before it are valid. */
export class NotRecovered extends Error {
  override name = 'NotRecovered';
}

/**
 * Waits until the step before has left nothing: everything is ready, and no execution ends any more. Executions that were
 * still queued, or that n8n recovers after a crash, would be counted as the next step's.
 * @throws NotRecovered when the deployment does not become ready or quiet
 */
export async function settle(context: StepContext, load: LoadPlan): Promise<void> {
  const { deployment, sampler, progress } = context;
  let died;
  try {
    died = await deployment.ready();
  } catch (error) {
    progress.signal.throwIfAborted();
    throw new NotRecovered(messageOf(error));
  }
  if (!died && !context.unsettled) return;
  const quiet = longestExecution(load) * 1000 + QUIET_MS;
  const start = Date.now();
  for (let last = { ended: -1, at: start }; Date.now() - last.at < quiet;) {
    progress.update('waiting for executions of the step before');
    const now = await countedExecutions(sampler, progress.signal);
    const { succeeded = 0, failed = 0 } = now?.asynchronous ?? {};
    const ended = now ? now.succeeded + now.failed + succeeded + failed : -1;
    // A count that cannot be read says nothing of what still ends.
    if (ended !== last.ended || (!now && sampler.canCount)) last = { ended, at: Date.now() };
    if (Date.now() - start > SETTLE_MS)
      throw new NotRecovered(`executions of the step before still end after ${SETTLE_MS / 1000} s`);
    await sleep(500, undefined, { signal: progress.signal });
  }
}

/** Whether executions may go on after the step; lost answers hide how many. */
export const leavesWork = ({ executions, summary, aborted }: StepRecord) =>
  aborted === true ||
  executions === null ||
  executions.completed < executions.accepted ||
  (executions.asynchronous?.completed ?? 0) < (executions.asynchronous?.started ?? 0) ||
  summary.failed > 0;
