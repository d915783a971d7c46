import { Interrupted } from '../errors.js';
import type { Sample, Sampler } from '../observe/sampler.js';
import type { LoadPlan } from '../plan/plan.js';
import type { StepRecord } from '../record/types.js';
import { longest, type StepContext } from './context.js';

/** Executions that have ended since the deployment was ready. */
export interface Counted {
  succeeded: number;
  failed: number;
}

/** n8n may be too busy to answer at once; a count that stays unreadable is undefined, never assumed. */
export async function countedExecutions(sampler: Sampler, signal: AbortSignal): Promise<Counted | undefined> {
  for (let i = 0; i < 5 && !signal.aborted; i++) {
    const { executions } = await sampler.sample(5000);
    if (executions) return executions;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  return undefined;
}

/** Waits until as many executions have ended as were accepted, at most the drain time beyond what one takes by design. */
export async function drain(
  context: StepContext,
  load: LoadPlan,
  before: Counted,
  accepted: number,
): Promise<StepRecord['executions']> {
  const start = Date.now();
  const most = (context.plan.drainSeconds + longest(load)) * 1000;
  for (;;) {
    const now = await countedExecutions(context.sampler, context.progress.signal);
    if (context.progress.signal.aborted) throw new Interrupted('interrupted');
    if (!now) return null;
    const failed = now.failed - before.failed;
    const completed = now.succeeded - before.succeeded + failed;
    const waited = Date.now() - start;
    if (waited > most && !context.sampler.counting) return null;
    if (completed >= accepted || waited > most) return { accepted, completed, failed, drainSeconds: waited / 1000 };
    context.progress.update(`draining: ${completed} of ${accepted} executions have ended`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Executions accepted so far less those that have ended, at each sample of the measured part. */
export function backlog(
  samples: Sample[],
  requests: { sentAt: number; correct: boolean }[],
  before: Counted,
  from: number,
  to: number,
): StepRecord['backlog'] {
  const sent = requests
    .filter((r) => r.correct)
    .map((r) => r.sentAt)
    .sort((a, b) => a - b);
  let accepted = 0;
  return samples
    .filter((s) => s.executions && s.at >= from && s.at <= to)
    .map((s) => {
      while (accepted < sent.length && sent[accepted]! <= s.at) accepted++;
      const ended = s.executions!.succeeded + s.executions!.failed - before.succeeded - before.failed;
      return { at: (s.at - from) / 1000, executions: accepted - ended };
    });
}
