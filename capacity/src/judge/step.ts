import type { StepVerdict, Reason, Verdict } from '../model/verdict.js';
import type { StepRecord } from '../model/step.js';
import type { Slo } from '../model/plan.js';
import { milliseconds, percent } from '../core/formats.js';
import { disturbances, isDisturbance } from './disturbances.js';
import { condensed, lowerBound95, trend, upperBound95, MIN_SAMPLES } from '../stats/intervals.js';

/** Share of the executions that were accepted which must have ended when the drain is over. */
const COMPLETED_SHARE = 0.99;
/** Share of the seconds of a step in which n8n's count must have been read, for its backlog to be judged. */
export const COUNTED_SHARE = 0.5;
/** Above this share of its cores the generator, not the target, decides what is measured. */
export const GENERATOR_CPU_SHARE = 0.8;
/** Share of what k6 reaches by itself, above which its own queueing is part of the latency that it reports. */
const GENERATOR_LIMIT_SHARE = 0.5;
/** A trend counts when chance explains it less often than this … */
const TREND_P_VALUE = 0.01;
/** … and when it matters: growth over the step against the objective (latency) or the arrivals (backlog). */
const LATENCY_GROWTH_SHARE = 0.25;
const BACKLOG_GROWTH_SHARE = 1 - COMPLETED_SHARE;
const BACKLOG_GROWTH_LEAST = 5;
/** So many times the objective a percentile of a step does not come to be by chance. */
const CLEAR_LATENCY = 1.5;
/** So many standard deviations a backlog does not wander by chance. */
const CLEAR_DEVIATIONS = 3;

/**
 * Judges one step from its record alone.
 * What is not under test and failed makes it INCONCLUSIVE, unless the target has failed by itself; then it is a FAIL.
 */
export function judgeStep(step: StepRecord, slo: Slo): StepVerdict {
  const { summary } = step;
  const requests = summary.answered + summary.failed;
  const errorRate = requests === 0 ? 0 : summary.failed / requests;
  const failed = [
    ...deaths(step),
    ...brokenSlo(step, slo, errorRate),
    ...incomplete(step),
    ...growing(step, slo),
    ...droppedByTarget(step),
  ];
  const brokenEarly = step.aborted === true && failed.some((r) => r.code === 'errors' && r.clear);
  const unclear = inconclusiveReasons(step, requests).filter((r) => !brokenEarly || r.code !== 'too-few-samples');
  const verdict = weigh(failed, unclear);
  return {
    verdict,
    reasons: verdict === 'INCONCLUSIVE' ? unclear : failed,
    errorRate,
    errorRateUpperBound: upperBound95(summary.failed, requests),
  };
}

/** A death is a death whoever counted; a broken objective that k6 measured soundly stays one when n8n's own count is missing. */
export function weigh(failed: Reason[], unclear: Reason[]): Verdict {
  if (failed.some((r) => r.code === 'died')) return 'FAIL';
  if (unclear.some((r) => r.code !== 'count-unreadable')) return 'INCONCLUSIVE';
  if (failed.length > 0) return 'FAIL';
  return unclear.length > 0 ? 'INCONCLUSIVE' : 'PASS';
}

/** One reason for each kind of death of each instance, however often it happened. */
export function deaths(step: StepRecord): Reason[] {
  const events = step.events.filter((e) => e.kind !== 'restarted' && !isDisturbance(e));
  const kinds = new Map(events.map((e) => [`${e.instance} ${e.kind} ${e.reason}`, e]));
  return [...kinds.values()].map((e) => {
    const times = events.filter((o) => o.instance === e.instance && o.kind === e.kind && o.reason === e.reason).length;
    const often = times > 1 ? `, ${times} times` : '';
    return { code: 'died', clear: true, text: `${e.instance} ${DEATH_TEXT[e.kind]} (${e.reason ?? e.detail}${often})` };
  });
}

const DEATH_TEXT: Record<string, string> = {
  died: 'died under load',
  'probe-failed': 'failed its probe under load',
  unready: 'was taken out of service under load',
  'runner-died': 'lost its task runner under load',
};

/**
 * The objectives that a step broke: a reason for its errors, and one for each percentile of the latency above the service
 * time. What has no objective, or no answer to tell it from, gives none.
 * @param errorRate failed requests among all, 0 to 1; 0 where errors are judged elsewhere
 */
export function brokenSlo({ summary }: StepRecord, slo: Slo, errorRate: number): Reason[] {
  const reasons: Reason[] = [];
  if (errorRate > slo.errors) {
    const kinds = Object.entries(summary.failures)
      .sort(([, a], [, b]) => b - a)
      .map(([kind, n]) => `${n} × ${kind}`)
      .join(', ');
    reasons.push({
      code: 'errors',
      text: `${percent(errorRate)} of requests failed, ${percent(slo.errors)} allowed: ${kinds}`,
      // When the objective is just met, chance explains as many errors in one step of twenty.
      clear: lowerBound95(summary.failed, summary.answered + summary.failed) > slo.errors,
    });
  }
  for (const p of ['p50', 'p95', 'p99'] as const) {
    const limit = slo[p];
    const value = summary.latency?.[p];
    if (limit !== undefined && value !== undefined && value > limit) {
      reasons.push({
        code: p,
        text: `${p} ${milliseconds(value)} above the service time, ${milliseconds(limit)} allowed`,
        clear: value >= CLEAR_LATENCY * limit,
      });
    }
  }
  return reasons;
}

function incomplete({ executions }: StepRecord): Reason[] {
  if (!executions) return [];
  const { accepted, completed, failed, drainSeconds } = executions;
  const reasons: Reason[] = [];
  if (completed < COMPLETED_SHARE * accepted) {
    reasons.push({
      code: 'completed',
      clear: true,
      text: `${completed} of ${accepted} accepted executions had ended after a drain of ${drainSeconds.toFixed(0)} s`,
    });
  }
  if (failed > (1 - COMPLETED_SHARE) * accepted) {
    reasons.push({ code: 'executions-failed', text: `${failed} of ${accepted} accepted executions ended as failed` });
  }
  return reasons;
}

/**
 * Answers can look perfect while work piles up: what grows over the step is not sustained. A reason for the backlog of
 * executions and one for the median latency, each where it grows by more than chance explains and by enough to matter.
 * Of a step without a rate, as a closed one, neither is judged.
 * @param slo the growth of the latency is weighed against its p50, else p95, else p99; without any it is not judged
 */
export function growing({ summary, backlog, rate }: StepRecord, slo: Slo): Reason[] {
  if (rate === undefined) return [];
  const reasons: Reason[] = [];
  const pile = trend(condensed(backlog.map((b) => b.executions)), condensed(backlog.map((b) => b.at)));
  const piled = pile.slope * ((backlog.at(-1)?.at ?? 0) - (backlog[0]?.at ?? 0));
  const allowed = Math.max(BACKLOG_GROWTH_LEAST, BACKLOG_GROWTH_SHARE * summary.offered);
  if (pile.pValue < TREND_P_VALUE && piled > allowed) {
    reasons.push({
      code: 'backlog',
      // Departures of a busy server with exponential service are a Poisson process: n of them vary by √n.
      clear: piled > allowed + CLEAR_DEVIATIONS * Math.sqrt(summary.offered),
      text: `the backlog of executions grows by ${pile.slope.toFixed(1)}/s (${backlog.at(-1)!.executions} at the end of the step)`,
    });
  }
  const medians = summary.seconds.flatMap((s) => (s.p50 === undefined ? [] : [s.p50]));
  const { slope, pValue } = trend(condensed(medians), condensed(medians.map((_, i) => i)));
  const grown = slope * medians.length;
  const limit = slo.p50 ?? slo.p95 ?? slo.p99;
  if (limit !== undefined && pValue < TREND_P_VALUE && grown > LATENCY_GROWTH_SHARE * limit) {
    reasons.push({
      code: 'latency-trend',
      text: `latency grows by ${milliseconds(slope)} each second of the step`,
    });
  }
  return reasons;
}

/** The clients waited on the target, so that the generator had none to spare: it could not take the rate. */
export function droppedByTarget(step: StepRecord): Reason[] {
  const { dropped, vusMost, offered } = step.summary;
  if (dropped === 0 || quickAnswers(step)) return [];
  const text = `${dropped} of ${offered} requests could not be sent: up to ${vusMost} clients waited for an answer`;
  return [{ code: 'dropped', clear: true, text }];
}

/**
 * Why a step tells nothing of the target, whatever it shows: the generator failed or was the limit, the cluster interfered,
 * there were too few requests, or what n8n and k6 did could not be read.
 * @param requests answered and failed ones of the measured part; Infinity where the caller judges by itself whether they suffice
 */
export function inconclusiveReasons(step: StepRecord, requests: number): Reason[] {
  const reasons: Reason[] = disturbances(step.events);
  const { summary, k6 } = step;
  if (k6.message) reasons.push({ code: 'k6', text: k6.message });
  if (k6.cpuShare !== null && k6.cpuShare >= GENERATOR_CPU_SHARE) {
    reasons.push({
      code: 'generator',
      text: `k6 used ${percent(k6.cpuShare)} of the machine's cores: the generator was the limit, not the target`,
    });
  }
  if (k6.limit !== undefined && requestRate(step) > GENERATOR_LIMIT_SHARE * k6.limit) {
    const text = `${requestRate(step).toFixed(0)}/s is more than half of the ${k6.limit.toFixed(0)}/s that k6 reaches on this machine`;
    reasons.push({ code: 'generator', text });
  }
  if (requests < MIN_SAMPLES) {
    reasons.push({
      code: 'too-few-samples',
      text: `${requests} requests, at least ${MIN_SAMPLES} are needed: lengthen the step (--step-duration)`,
    });
  }
  if (k6.cpuShare === null && !k6.message) {
    reasons.push({ code: 'count-unreadable', text: "k6's use of CPU could not be read" });
  }
  const seconds = (step.measuredTo - step.measuredFrom) / 1000;
  if (step.executions !== null && step.backlog.length < COUNTED_SHARE * seconds) {
    const text = `n8n's count of executions could be read in ${step.backlog.length} of ${seconds} seconds`;
    reasons.push({ code: 'count-unreadable', text });
  }
  if (step.executions === null) {
    reasons.push({ code: 'count-unreadable', text: "n8n's count of executions could not be read" });
  }
  if (summary.dropped > 0 && quickAnswers(step)) {
    const text = `k6 could not send ${summary.dropped} requests in time, though the target kept nobody waiting`;
    reasons.push({ code: 'generator', text });
  }
  return reasons;
}

/** What k6 had to send in a second: the arrival rate, in a closed step what was answered, in requests per second. */
const requestRate = ({ rate, summary, measuredFrom, measuredTo }: StepRecord) =>
  rate ?? (summary.answered + summary.failed) / ((measuredTo - measuredFrom) / 1000);

/** k6 is given clients for answers up to 2 s above the service time; only beyond are drops the target's doing. */
const SPARE_SECONDS = 2;
const quickAnswers = ({ summary }: StepRecord) => summary.failed === 0 && (summary.latency?.max ?? 0) < SPARE_SECONDS;
