import { mean, sum } from 'simple-statistics';
import { formatNumber, formatHours, formatSeconds, formatPercent } from '../../core/formats.js';
import { PERCENTILES, SHARE_ABOVE, type Slo } from '../../model/plan.js';
import type { Drift } from '../../model/reports.js';
import type { LoadSecond, StepRecord } from '../../model/step.js';
import { clusteringFactor, lowerBound95 } from '../../stats/intervals.js';
import { estimateGrowth, type Span } from './growth.js';

/** The end of a soak: its last part. */
const END_SHARE = 0.25;
/** Growth that matters, as a share of what the objective allows. */
const LEAST_GROWTH_SHARE = 0.1;

/** Answers above an objective, or failed requests. */
interface Tail {
  of: 'slow' | 'errors';
  /** `answers that took more than 500 ms`. */
  what: string;
  /** Share that the objective allows. */
  allowed: number;
  seen: (second: LoadSecond) => number;
  all: (second: LoadSecond) => number;
}

/**
 * Judges slow answers and failed requests of a load. The end of a soak may break an objective that the whole soak holds, or a
 * growing share may break it within the horizon. Shares that do neither are not reported: so few slow answers prove no horizon.
 * @param horizon hours
 */
export function tailDrifts(load: string, steps: StepRecord[], slo: Slo, span: Span, horizon: number): Drift[] {
  const ofLoad = steps.filter((s) => s.load === load);
  const seconds = ofLoad.flatMap(({ measuredFrom, summary }) =>
    summary.seconds.map((second) => ({ ...second, at: measuredFrom + second.at * 1000 })),
  );
  const ended = ofLoad.flatMap(endedIn);
  return tailsOf(slo).flatMap((tail) => {
    const answers = seconds.map((second) => ({ at: second.at, seen: tail.seen(second), of: tail.all(second) }));
    const failedLater = tail.of === 'errors' ? brokenAtEnd(load, { ...tail, what: FAILED }, ended, span) : undefined;
    return brokenAtEnd(load, tail, answers, span) ?? failedLater ?? growing(load, tail, seconds, span, horizon) ?? [];
  });
}

/** How many requests ended at a time, in milliseconds since the epoch, and how many of them were slow or failed. */
interface Part {
  at: number;
  seen: number;
  of: number;
}

/** Some workloads answer before they work, and fail after it. */
const FAILED = 'failed executions';

/** The executions of a step that ended between two looks, and those of them that failed. */
function endedIn({ measuredFrom, backlog }: StepRecord): Part[] {
  return backlog.slice(1).flatMap(({ at, failed, succeeded }, i) => {
    const before = backlog[i]!;
    if (failed === undefined || before.failed === undefined) return [];
    const seen = Math.max(0, failed - before.failed);
    const others = Math.max(0, (succeeded ?? 0) - (before.succeeded ?? 0));
    return [{ at: measuredFrom + at * 1000, seen, of: seen + others }];
  });
}

const tailsOf = (slo: Slo): Tail[] => [
  ...PERCENTILES.flatMap((p): Tail[] => {
    const limit = slo[p];
    if (limit === undefined) return [];
    const what = `answers that took more than ${formatSeconds(limit)}`;
    return [{ of: 'slow', what, allowed: SHARE_ABOVE[p], seen: (s) => s.slow?.[p] ?? 0, all: (s) => s.answered }];
  }),
  { of: 'errors', what: 'failed requests', allowed: slo.errors, seen: (s) => s.failed, all: (s) => s.sent },
];

function brokenAtEnd(load: string, tail: Tail, parts: Part[], { from, to }: Span): Drift | undefined {
  const end = parts.filter(({ at }) => at >= to - END_SHARE * (to - from));
  const [seen, all, factor] = [sum(end.map((s) => s.seen)), sum(end.map((s) => s.of)), clusteringFactor(end)];
  if (all === 0 || lowerBound95(seen / factor, all / factor) <= tail.allowed) return undefined;
  const text = `${tail.what} of ${load} are ${formatPercent(seen / all)} in the last quarter, the SLO allows ${formatPercent(tail.allowed)}`;
  return { of: tail.of, name: load, perHour: 0, verdict: 'drifts', hoursToLimit: 0, text };
}

function growing(load: string, tail: Tail, seconds: LoadSecond[], span: Span, horizon: number): Drift | undefined {
  const points = seconds
    .filter((s) => tail.all(s) > 0)
    .map((second) => ({ at: second.at, value: tail.seen(second) / tail.all(second) }));
  const growth = estimateGrowth(points, span, mean);
  if (!growth) return undefined;
  const { whole, late, level, change } = growth;
  const { slope, low, high } = whole;
  const isSure = low > 0 && late.slope > 0 && change >= LEAST_GROWTH_SHARE * tail.allowed;
  // The share at the end, of which the median of the windows is half of the growth behind.
  const room = Math.max(0, tail.allowed - level - change / 2);
  if (!isSure || room / low > horizon) return undefined;
  const hoursToLimit = room / slope;
  const bounds = { ...(Number.isFinite(low) && { low }), ...(Number.isFinite(high) && { high }) };
  const text = `${tail.what} of ${load} grow by ${formatNumber(100 * slope)} % of all per hour: they reach ${formatPercent(tail.allowed)}, which the SLO allows, in ${formatHours(hoursToLimit)}`;
  return { of: tail.of, name: load, perHour: slope, ...bounds, verdict: 'drifts', hoursToLimit, text };
}
