import type { StepVerdict, Reason, Verdict } from '../model/verdict.js';
import type { StepRecord } from '../model/step.js';
import type { Slo } from '../model/plan.js';
import { milliseconds, percent } from '../core/formats.js';
import { deathReasons, disturbanceReasons } from './events.js';
import { lowerBound95, upperBound95, MIN_SAMPLES } from '../stats/intervals.js';
import { condensed, trend } from '../stats/trend.js';

/** Share of the accepted executions that must have ended after the drain. */
const COMPLETED_SHARE = 0.99;
/** Share of a step's seconds in which n8n's count must have been read to judge the backlog. */
export const COUNTED_SHARE = 0.5;
/** Above this share of its cores the generator is the limit, not the deployment. */
export const GENERATOR_CPU_SHARE = 0.8;
/** Share of k6's own maximum rate above which its queueing adds to the latency that it reports. */
const GENERATOR_LIMIT_SHARE = 0.5;
/** A trend counts if chance explains it less often than this … */
const TREND_P_VALUE = 0.01;
/** … and if the growth over the step exceeds this share of the objective (latency) or of the arrivals (backlog). */
const LATENCY_GROWTH_SHARE = 0.25;
const BACKLOG_GROWTH_SHARE = 1 - COMPLETED_SHARE;
const BACKLOG_GROWTH_LEAST = 5;
/** A percentile of at least this multiple of its objective is not explained by chance. */
const CLEAR_LATENCY = 1.5;
/** A backlog that grows by more standard deviations than this is not explained by chance. */
const CLEAR_DEVIATIONS = 3;

/**
 * Judges one step from its record alone. A disturbance outside the deployment makes the step INCONCLUSIVE, unless an instance
 * of the deployment died (see `weigh`).
 */
export function judgeStep(step: StepRecord, slo: Slo): StepVerdict {
  const { summary } = step;
  const requests = summary.answered + summary.failed;
  const errorRate = requests === 0 ? 0 : summary.failed / requests;
  const failed = [
    ...deathReasons(step),
    ...brokenSlo(step, slo, errorRate),
    ...incomplete(step),
    ...growing(step, slo),
    ...droppedByDeployment(step),
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

/**
 * The verdict from the reasons to fail and the disturbances. A death is always a FAIL. If only n8n's count is missing, k6's
 * measurements stand, and a broken objective is a FAIL.
 */
export function weigh(failed: Reason[], unclear: Reason[]): Verdict {
  if (failed.some((r) => r.code === 'died')) return 'FAIL';
  if (unclear.some((r) => r.code !== 'count-unreadable')) return 'INCONCLUSIVE';
  if (failed.length > 0) return 'FAIL';
  return unclear.length > 0 ? 'INCONCLUSIVE' : 'PASS';
}

/**
 * The objectives that a step broke: a reason for its errors, and one for each percentile of the overhead. Percentiles without
 * an objective, or without an answer, are not judged.
 * @param errorRate failed requests as a share of all, 0 to 1; 0 if errors are judged elsewhere
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
      text: `${percent(errorRate)} of requests failed, the SLO allows ${percent(slo.errors)}: ${kinds}`,
      // If the objective is just met, chance explains this many errors in one step of twenty.
      clear: lowerBound95(summary.failed, summary.answered + summary.failed) > slo.errors,
    });
  }
  for (const p of ['p50', 'p95', 'p99'] as const) {
    const limit = slo[p];
    const value = summary.latency?.[p];
    if (limit !== undefined && value !== undefined && value > limit) {
      reasons.push({
        code: p,
        text: `${p} of the overhead is ${milliseconds(value)}, the SLO allows ${milliseconds(limit)}`,
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
      text: `only ${completed} of ${accepted} accepted executions ended within a drain of ${drainSeconds.toFixed(0)} s`,
    });
  }
  if (failed > (1 - COMPLETED_SHARE) * accepted) {
    reasons.push({ code: 'executions-failed', text: `${failed} of ${accepted} accepted executions failed` });
  }
  return reasons;
}

/**
 * A rate is not sustained while the backlog or the latency grows, even if every answer meets the SLO. A reason for the
 * backlog of executions and one for the median latency, each if it grows by more than chance explains and by enough to
 * matter. Steps without a rate, as closed ones, are not judged.
 * @param slo latency growth is compared with its p50, else p95, else p99; without any it is not judged
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
      text: `the backlog grows by ${pile.slope.toFixed(1)} executions per second (${backlog.at(-1)!.executions} at the end of the step)`,
    });
  }
  const medians = summary.seconds.flatMap((s) => (s.p50 === undefined ? [] : [s.p50]));
  const { slope, pValue } = trend(condensed(medians), condensed(medians.map((_, i) => i)));
  const grown = slope * medians.length;
  const limit = slo.p50 ?? slo.p95 ?? slo.p99;
  if (limit !== undefined && pValue < TREND_P_VALUE && grown > LATENCY_GROWTH_SHARE * limit) {
    reasons.push({
      code: 'latency-trend',
      text: `latency grows by ${milliseconds(slope)} per second of the step`,
    });
  }
  return reasons;
}

/** Requests that were dropped because all k6 clients waited for answers: the deployment cannot take the rate. */
export function droppedByDeployment(step: StepRecord): Reason[] {
  const { dropped, vusMost, offered } = step.summary;
  if (dropped === 0 || quickAnswers(step)) return [];
  const text = `${dropped} of ${offered} requests were dropped: all clients, up to ${vusMost}, waited for answers`;
  return [{ code: 'dropped', clear: true, text }];
}

/**
 * Why a step says nothing about the deployment: the generator failed or was the limit, the cluster interfered, there were too
 * few requests, or the counts of n8n or k6 could not be read.
 * @param requests answered and failed requests of the measured part; Infinity if the caller checks the number itself
 */
export function inconclusiveReasons(step: StepRecord, requests: number): Reason[] {
  const reasons: Reason[] = disturbanceReasons(step.events);
  const { summary, k6 } = step;
  if (k6.message) reasons.push({ code: 'k6', text: k6.message });
  if (k6.cpuShare !== null && k6.cpuShare >= GENERATOR_CPU_SHARE) {
    reasons.push({
      code: 'generator',
      text: `k6 used ${percent(k6.cpuShare)} of the machine's cores: the load generator was the limit, not the deployment`,
    });
  }
  if (k6.limit !== undefined && requestRate(step) > GENERATOR_LIMIT_SHARE * k6.limit) {
    const text = `${requestRate(step).toFixed(0)}/s is more than half of k6's maximum on this machine, ${k6.limit.toFixed(0)}/s`;
    reasons.push({ code: 'generator', text });
  }
  if (requests < MIN_SAMPLES) {
    reasons.push({
      code: 'too-few-samples',
      text: `${requests} requests are too few, at least ${MIN_SAMPLES} are needed; use a longer --step-duration`,
    });
  }
  if (k6.cpuShare === null && !k6.message) {
    reasons.push({ code: 'count-unreadable', text: "k6's CPU use could not be read" });
  }
  const seconds = (step.measuredTo - step.measuredFrom) / 1000;
  if (step.executions !== null && step.backlog.length < COUNTED_SHARE * seconds) {
    const text = `n8n's execution count could be read in only ${step.backlog.length} of ${seconds} seconds`;
    reasons.push({ code: 'count-unreadable', text });
  }
  if (step.executions === null) {
    reasons.push({ code: 'count-unreadable', text: "n8n's execution count could not be read" });
  }
  if (summary.dropped > 0 && quickAnswers(step)) {
    const text = `k6 dropped ${summary.dropped} requests although the deployment answered quickly`;
    reasons.push({ code: 'generator', text });
  }
  return reasons;
}

/** Requests per second that k6 had to send: the arrival rate, or in a closed step the requests that ended. */
const requestRate = ({ rate, summary, measuredFrom, measuredTo }: StepRecord) =>
  rate ?? (summary.answered + summary.failed) / ((measuredTo - measuredFrom) / 1000);

/** k6 has clients for answers up to 2 s above the service time; only slower answers explain drops. */
const SPARE_SECONDS = 2;
const quickAnswers = ({ summary }: StepRecord) => summary.failed === 0 && (summary.latency?.max ?? 0) < SPARE_SECONDS;
