import { formatSeconds, formatPercent } from '../core/formats.js';
import { PERCENTILES, type Slo } from '../model/plan.js';
import type { StepRecord } from '../model/step.js';
import type { Reason } from '../model/verdict.js';
import { lowerBound95 } from '../stats/intervals.js';
import { CLEAR_LATENCY, quickAnswers } from './objectives.js';

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
      text: `${formatPercent(errorRate)} of requests failed, the SLO allows ${formatPercent(slo.errors)}: ${kinds}`,
      // If the objective is just met, chance explains this many errors in one step of twenty.
      clear: lowerBound95(summary.failed, summary.answered + summary.failed) > slo.errors,
    });
  }
  for (const p of PERCENTILES) {
    const limit = slo[p];
    const value = summary.latency?.[p];
    if (limit !== undefined && value !== undefined && value > limit) {
      reasons.push({
        code: p,
        text: `${p} of the overhead is ${formatSeconds(value)}, the SLO allows ${formatSeconds(limit)}`,
        clear: value >= CLEAR_LATENCY * limit,
      });
    }
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
