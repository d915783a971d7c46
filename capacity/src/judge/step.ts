import type { Slo } from '../plan/slo.js';
import type { StepRecord } from '../record/types.js';
import { trend, upperBound95 } from './statistics.js';

export type Verdict = 'PASS' | 'FAIL' | 'INVALID';

/** Why a step is what it is; `code` for machines, `text` for people. */
export interface Reason {
  code: ReasonCode;
  text: string;
}

export type ReasonCode =
  | 'errors'
  | 'p50'
  | 'p95'
  | 'p99'
  | 'completed'
  | 'executions-failed'
  | 'backlog'
  | 'latency-trend'
  | 'died'
  | 'dropped'
  | 'too-few-samples'
  | 'count-unreadable'
  | 'generator'
  | 'k6';

/** A step judged. PASS is what the design calls sustained. */
export interface StepVerdict {
  verdict: Verdict;
  reasons: Reason[];
  /** Failed requests among all, and what can be claimed of them at 95 % confidence. */
  errorRate: number;
  errorRateUpperBound: number;
}

/** Under this many requests no percentile means anything. */
export const MIN_SAMPLES = 20;
/** Share of the executions that were accepted which must have ended when the drain is over. */
const COMPLETED_SHARE = 0.99;
/** Share of the seconds of a step in which n8n's count must have been read, for its backlog to be judged. */
const COUNTED_SHARE = 0.5;
/** Above it the generator, not the target, decides what is measured. */
const GENERATOR_CPU_SHARE = 0.8;
/** A trend counts when chance explains it less often than this … */
const TREND_P_VALUE = 0.01;
/** … and when it matters: growth over the step against the objective (latency) or the arrivals (backlog). */
const LATENCY_GROWTH_SHARE = 0.25;
const BACKLOG_GROWTH_SHARE = 0.05;
const BACKLOG_GROWTH_LEAST = 5;

/**
 * Judges one step from its record alone.
 * What is not under test and failed makes it INVALID, unless the target has failed by itself; then it is a FAIL.
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
  const invalid = invalidity(step, requests);
  const verdict = weigh(failed, invalid);
  return {
    verdict,
    reasons: verdict === 'INVALID' ? invalid : failed,
    errorRate,
    errorRateUpperBound: upperBound95(summary.failed, requests),
  };
}

/** A death is a death whoever counted; a broken objective that k6 measured soundly stays one when n8n's own count is missing. */
function weigh(failed: Reason[], invalid: Reason[]): Verdict {
  if (failed.some((r) => r.code === 'died')) return 'FAIL';
  if (invalid.some((r) => r.code !== 'count-unreadable')) return 'INVALID';
  if (failed.length > 0) return 'FAIL';
  return invalid.length > 0 ? 'INVALID' : 'PASS';
}

/** One reason for each kind of death of each instance, however often it happened. */
function deaths(step: StepRecord): Reason[] {
  const events = step.events.filter((e) => e.kind !== 'restarted');
  const kinds = new Map(events.map((e) => [`${e.instance} ${e.kind} ${e.reason}`, e]));
  return [...kinds.values()].map((e) => {
    const times = events.filter((o) => o.instance === e.instance && o.kind === e.kind && o.reason === e.reason).length;
    const often = times > 1 ? `, ${times} times` : '';
    return { code: 'died', text: `${e.instance} ${DEATH_TEXT[e.kind]} (${e.reason ?? e.detail}${often})` };
  });
}

const DEATH_TEXT: Record<string, string> = {
  died: 'died under load',
  'probe-failed': 'failed its probe under load',
  unready: 'was taken out of service under load',
  'runner-died': 'lost its task runner under load',
};

function brokenSlo({ summary }: StepRecord, slo: Slo, errorRate: number): Reason[] {
  const reasons: Reason[] = [];
  if (errorRate > slo.errors) {
    const kinds = Object.entries(summary.failures)
      .sort(([, a], [, b]) => b - a)
      .map(([kind, n]) => `${n} × ${kind}`)
      .join(', ');
    reasons.push({
      code: 'errors',
      text: `${percent(errorRate)} of requests failed, ${percent(slo.errors)} allowed: ${kinds}`,
    });
  }
  for (const p of ['p50', 'p95', 'p99'] as const) {
    const limit = slo[p];
    const value = summary.latency?.[p];
    if (limit !== undefined && value !== undefined && value > limit) {
      reasons.push({
        code: p,
        text: `${p} ${milliseconds(value)} above the service time, ${milliseconds(limit)} allowed`,
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
      text: `${completed} of ${accepted} accepted executions had ended after a drain of ${drainSeconds.toFixed(0)} s`,
    });
  }
  if (failed > (1 - COMPLETED_SHARE) * accepted) {
    reasons.push({ code: 'executions-failed', text: `${failed} of ${accepted} accepted executions ended as failed` });
  }
  return reasons;
}

/** Answers can look perfect while work piles up: what grows over the step is not sustained. */
function growing({ summary, backlog, rate }: StepRecord, slo: Slo): Reason[] {
  if (rate === undefined) return [];
  const reasons: Reason[] = [];
  const pile = trend(
    backlog.map((b) => b.executions),
    backlog.map((b) => b.at),
  );
  const piled = pile.slope * ((backlog.at(-1)?.at ?? 0) - (backlog[0]?.at ?? 0));
  if (pile.pValue < TREND_P_VALUE && piled > Math.max(BACKLOG_GROWTH_LEAST, BACKLOG_GROWTH_SHARE * summary.offered)) {
    reasons.push({
      code: 'backlog',
      text: `the backlog of executions grows by ${pile.slope.toFixed(1)}/s (${backlog.at(-1)!.executions} at the end of the step)`,
    });
  }
  const medians = summary.seconds.flatMap((s) => (s.p50 === undefined ? [] : [s.p50]));
  const latency = trend(medians);
  const grown = latency.slope * medians.length;
  const limit = slo.p50 ?? slo.p95 ?? slo.p99;
  if (limit !== undefined && latency.pValue < TREND_P_VALUE && grown > LATENCY_GROWTH_SHARE * limit) {
    reasons.push({
      code: 'latency-trend',
      text: `latency grows by ${milliseconds(latency.slope)} each second of the step`,
    });
  }
  return reasons;
}

/** The clients waited on the target, so that the generator had none to spare: it could not take the rate. */
function droppedByTarget(step: StepRecord): Reason[] {
  const { dropped, vusMost, offered } = step.summary;
  if (dropped === 0 || quickAnswers(step)) return [];
  const text = `${dropped} of ${offered} requests could not be sent: up to ${vusMost} clients waited for an answer`;
  return [{ code: 'dropped', text }];
}

function invalidity(step: StepRecord, requests: number): Reason[] {
  const reasons: Reason[] = [];
  const { summary, k6 } = step;
  if (k6.message) reasons.push({ code: 'k6', text: k6.message });
  if (k6.cpuShare !== null && k6.cpuShare >= GENERATOR_CPU_SHARE) {
    reasons.push({
      code: 'generator',
      text: `k6 used ${percent(k6.cpuShare)} of the machine's cores: the generator was the limit, not the target`,
    });
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

/** k6 is given clients for answers up to 2 s above the service time; only beyond are drops the target's doing. */
const SPARE_SECONDS = 2;
const quickAnswers = ({ summary }: StepRecord) => summary.failed === 0 && (summary.latency?.max ?? 0) < SPARE_SECONDS;

/** A fraction as a percentage with three significant digits. */
export const percent = (fraction: number): string => `${Number((fraction * 100).toPrecision(3))} %`;

/** Seconds for people: `340 ms`, `2.1 s`. */
export const milliseconds = (seconds: number): string =>
  seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
