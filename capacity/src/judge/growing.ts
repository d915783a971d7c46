import type { Slo } from '../model/plan.js';
import type { StepRecord } from '../model/step.js';
import type { Reason } from '../model/verdict.js';
import { formatSeconds } from '../core/formats.js';
import { grownBy } from './objectives.js';
import { condenseSeries, estimateTrend } from '../stats/trend.js';

/** A trend counts if chance explains it less often than this … */
const TREND_P_VALUE = 0.01;
/** … and if the growth over the step exceeds this share of the objective (latency) or of the arrivals (backlog). */
const LATENCY_GROWTH_SHARE = 0.25;
const BACKLOG_GROWTH_SHARE = 0.01;
const BACKLOG_GROWTH_LEAST = 5;
/** A backlog that grows by more standard deviations than this is not explained by chance, whenever in the step it does. */
const CLEAR_DEVIATIONS = 3;

/**
 * A rate is not sustained while the backlog or the latency grows, even if every answer meets the SLO. A reason for the
 * backlog of executions and one for the median latency, each if it grows by more than chance explains and by enough to
 * matter. Of clients that each wait for their answer only the backlog is judged: more executions than clients are under way only
 * where n8n answers before it has executed. Recorded arrivals are not judged, as their rate itself rises and falls.
 * @param slo latency growth is compared with its p50, else p95, else p99; without any it is not judged
 */
export function growing(step: StepRecord, slo: Slo): Reason[] {
  const { summary, rate, clients, replayed } = step;
  if (replayed) return [];
  if (clients !== undefined) return isPilingUp(step) ? backlogGrowth(step) : [];
  if (rate === undefined) return [];
  return [...backlogGrowth(step), ...latencyGrowth(summary, slo)];
}

/** Whether more executions are under way at the end than clients wait for. */
export const isPilingUp = ({ clients = Infinity, backlog }: Pick<StepRecord, 'clients' | 'backlog'>): boolean =>
  (backlog.at(-1)?.executions ?? 0) > clients + BACKLOG_GROWTH_LEAST;

function backlogGrowth({ summary, backlog }: StepRecord): Reason[] {
  const reasons: Reason[] = [];
  const pile = estimateTrend(
    condenseSeries(backlog.map((b) => b.executions)),
    condenseSeries(backlog.map((b) => b.at)),
  );
  const piled = pile.slope * ((backlog.at(-1)?.at ?? 0) - (backlog[0]?.at ?? 0));
  const allowed = Math.max(BACKLOG_GROWTH_LEAST, BACKLOG_GROWTH_SHARE * summary.offered);
  // Departures of a busy server with exponential service are a Poisson process: n of them vary by √n.
  const clearly = allowed + CLEAR_DEVIATIONS * Math.sqrt(summary.offered);
  if (pile.pValue < TREND_P_VALUE && piled > allowed) {
    reasons.push({
      code: 'backlog',
      clear: piled > clearly,
      text: `the backlog grows by ${pile.slope.toFixed(1)} executions per second (${backlog.at(-1)!.executions} at the end of the step)`,
    });
  } else if (grownBy({ backlog }) > clearly) {
    const text = `the backlog grew by ${Math.round(grownBy({ backlog }))} executions in a part of the step (${backlog.at(-1)!.executions} at its end)`;
    reasons.push({ code: 'backlog', clear: true, text });
  }
  return reasons;
}

function latencyGrowth(summary: StepRecord['summary'], slo: Slo): Reason[] {
  // Of random arrivals, some seconds have none.
  const medians = summary.seconds.flatMap(({ at, p50 }) => (p50 === undefined ? [] : [{ at, p50 }]));
  const { slope, pValue } = estimateTrend(
    condenseSeries(medians.map((m) => m.p50)),
    condenseSeries(medians.map((m) => m.at)),
  );
  const grown = slope * ((medians.at(-1)?.at ?? 0) - (medians[0]?.at ?? 0));
  const limit = slo.p50 ?? slo.p95 ?? slo.p99;
  if (limit !== undefined && pValue < TREND_P_VALUE && grown > LATENCY_GROWTH_SHARE * limit) {
    return [{ code: 'latency-trend', text: `latency grows by ${formatSeconds(slope)} per second of the step` }];
  }
  return [];
}
