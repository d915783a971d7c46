import { closedLoopOf } from '../plan/kinds.js';
import { formatNumber, formatPercent, formatRate } from '../core/formats.js';
import { clientBound, countClients, meanSeconds, slotBound, type Bound } from '../judge/bounds.js';
import { answeredRate } from '../judge/sustained.js';
import type { LoadPlan } from '../model/plan.js';
import type { RunRecord } from '../model/run.js';
import type { Sample } from '../model/sample.js';
import type { StepRecord } from '../model/step.js';
import type { JudgedStep, LoadVerdict } from '../model/verdict.js';
import { upperBound95 } from '../stats/intervals.js';

/** Rates of the measured part of a step, per second. */
export interface Throughput {
  offered: number;
  /** Requests that were sent in the measured part and answered, however late. */
  answered: number;
  /** Executions that ended within the measured part, by n8n's count; undefined if they could not be counted. */
  completed?: number;
}

/** The executions must be counted over this share of the measured part to give a rate. */
const MIN_COUNTED_SHARE = 0.5;

/**
 * What a step offered, answered and completed per second. The executions in a step's record include its warm-up and its
 * drain, so the rate comes from the samples of the measured part.
 */
export function throughput(step: StepRecord, samples: Sample[]): Throughput {
  const seconds = (step.measuredTo - step.measuredFrom) / 1000;
  const counted = samples.filter((s) => s.executions && s.at >= step.measuredFrom && s.at <= step.measuredTo);
  const [first, last] = [counted[0], counted.at(-1)];
  const span = first && last ? (last.at - first.at) / 1000 : 0;
  const ended = (s: Sample) => s.executions!.succeeded + s.executions!.failed;
  return {
    offered: step.summary.offered / seconds,
    answered: answeredRate(step),
    ...(span > 0 && span >= MIN_COUNTED_SHARE * seconds && { completed: (ended(last!) - ended(first!)) / span }),
  };
}

/** `20/s`, `8 clients`, `8 × 64 MiB`, or the rates of a burst. */
export function arrivals({ rate, phases, clients, payloadMiB }: StepRecord): string {
  if (phases) return phases.map((phase) => formatRate(phase.rate)).join(', ');
  if (rate !== undefined) return formatRate(rate);
  return payloadMiB === undefined ? `${clients} clients` : `${clients} × ${formatNumber(payloadMiB)} MiB`;
}

/** The step that explains the result of a load: the last at its capacity, else at the lowest rate that broke, else the last. */
export function decidingStep(load: LoadVerdict): JudgedStep | undefined {
  const at = (rate: number | undefined) =>
    rate === undefined
      ? undefined
      : load.steps.filter((s) => s.step.rate === rate && s.judged.verdict !== 'INCONCLUSIVE').at(-1);
  return at(load.capacity) ?? at(load.broken) ?? load.steps.at(-1);
}

/** The error rate that a step's sample supports. */
export function errorClaim({ summary }: StepRecord, allowed: number): string {
  const requests = summary.answered + summary.failed;
  if (requests === 0) return 'no request ended, so the error rate is unknown';
  const bound = upperBound95(summary.failed, requests);
  const isTooSmall = summary.failed / requests <= allowed && bound > allowed;
  const advice = isTooSmall
    ? `; the SLO allows ${formatPercent(allowed)}, and a longer step would give a tighter bound`
    : '';
  return `${summary.failed} of ${requests} requests failed: at most ${formatPercent(bound)} at 95 % confidence${advice}`;
}

/** The upper limit by arithmetic: slots ÷ execution time, or clients ÷ service time. */
export function arithmeticBound(plan: LoadPlan, run: RunRecord): Bound | undefined {
  const closedLoop = closedLoopOf(run.plan.rates);
  if (closedLoop) return clientBound(countClients(closedLoop, plan), meanSeconds(plan, plan.serviceSeconds));
  return run.deployment.slots === undefined
    ? undefined
    : slotBound(run.deployment.slots, meanSeconds(plan, plan.executionSeconds));
}
