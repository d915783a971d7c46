import { coresTaken, judgeStep } from '../judge/step.js';
import { answeredRate } from '../judge/sustained.js';
import { isDisturbed } from '../judge/tried.js';
import { usageBetween } from '../judge/usage.js';
import { why } from '../judge/conclusion.js';
import type { Figures } from '../model/trial.js';
import type { RecordedRun } from '../record/recorder.js';

/** Reasons to fail with which a throughput says nothing: what was answered did not end, or the next peak ends n8n. */
const USELESS: string[] = ['died', 'completed', 'memory', 'errors'];

/** The figures of a trial's run, or why it gives none: n8n died, requests failed, or something else took the machine. */
export function figuresOf({ run, steps, samples, events }: RecordedRun): Figures {
  const step = steps.at(-1);
  if (!step) return { failed: 'nothing was measured' };
  const died = events.find((e) => e.kind === 'died');
  if (died) return { failed: `${died.instance} died (${died.reason ?? died.detail})` };
  // Even where the objectives were met: the throughput is what is compared.
  const [taken] = coresTaken(step);
  if (taken) return { disturbed: taken.text };
  const judged = { step, judged: judgeStep(step, run.plan.slo) };
  if (isDisturbed(judged)) return { disturbed: why(judged) };
  const useless = judged.judged.verdict === 'FAIL' && judged.judged.reasons.find((r) => USELESS.includes(r.code));
  if (useless) return { failed: useless.text };
  const { answered, failed, latency } = step.summary;
  if (failed > run.plan.slo.errors * (answered + failed))
    return { failed: `${failed} of ${answered + failed} requests failed` };
  const used = [...usageBetween(samples, step.measuredFrom, step.measuredTo).values()];
  const memoryBytes = used.reduce((sum, usage) => sum + usage.peakMemoryBytes, 0);
  return {
    perSecond: answeredRate(step),
    ...(latency && { p95: latency.p95 }),
    ...(memoryBytes > 0 && { memoryBytes }),
  };
}
