import { mean, median, min } from 'simple-statistics';
import { formatNumber } from '../../core/formats.js';
import type { Slo } from '../../model/plan.js';
import type { Drift, DriftReport, DriftVerdict } from '../../model/reports.js';
import type { DeploymentRecord } from '../../model/run.js';
import type { Sample } from '../../model/sample.js';
import type { StepRecord } from '../../model/step.js';
import { estimateGrowth, type Span } from './growth.js';
import { isGrowing, tooShort, towardsLimit, withoutLimit } from './limit.js';
import { memoryDrifts } from './memory.js';
import { tailDrifts } from './tail.js';

/** Row counts of one table over the soak. */
export interface TableRows {
  table: string;
  /** `at` in milliseconds since the epoch. */
  rows: { at: number; count: number }[];
  /** Rows that the load inserts per hour; undefined if unknown. */
  insertedPerHour?: number;
}

/** The records of a soak. */
export interface Soak {
  deployment: DeploymentRecord;
  /** The long steps, all at the same load. */
  steps: StepRecord[];
  samples: Sample[];
  tables?: TableRows[];
  slo: Slo;
  /** Longest drain of the plan. */
  drainSeconds: number;
  /** Time after the soak for which no limit may be reached. */
  horizonSeconds: number;
}

/**
 * Judges whether memory, latency, backlog and tables stay below their limits for a horizon after a steady load; the first
 * quarter of the soak is discarded. Memory and rows are judged by their lower envelope, the minimum of each window: what
 * garbage collection or pruning leaves. A sawtooth with a period longer than the soak looks like a leak.
 */
export function judgeDrift(soak: Soak): DriftReport {
  const { deployment, steps, samples, tables = [] } = soak;
  const span = {
    from: Math.min(...steps.map((s) => s.measuredFrom)),
    to: Math.max(...steps.map((s) => s.measuredTo)),
  };
  const horizon = soak.horizonSeconds / 3600;
  const drifts = [
    ...deployment.instances.flatMap((instance) =>
      memoryDrifts(instance, samples, span, horizon, deployment.limits.enforced && !deployment.autoscalers?.length),
    ),
    ...loadsOf(steps).flatMap((load) => [
      latencyDrift(load, soak, span, horizon),
      ...tailDrifts(load, steps, soak.slo, span, horizon),
      ...backlogDrift(load, soak, span, horizon),
    ]),
    ...tables.map((table) => rowsDrift(table, span)),
  ];
  return { verdict: worstDrift(drifts), drifts };
}

/** Smaller growth of a median is within the scatter of a second, whatever its share; fewer executions are no backlog. */
const LEAST_LATENCY_SECONDS = 0.005;
const LEAST_BACKLOG = 5;

/** The worst verdict counts; without any quantity, nothing can be said. */
export function worstDrift(drifts: Drift[]): DriftVerdict {
  const found = (['drifts', 'too-short', 'unproven'] as const).find((v) => drifts.some((d) => d.verdict === v));
  return found ?? (drifts.length === 0 ? 'too-short' : 'stable');
}

const loadsOf = (steps: StepRecord[]): string[] => [...new Set(steps.map((s) => s.load))];

/** Latency by the medians of its seconds, reduced to the median of each window: one slow second is no drift. */
function latencyDrift(load: string, { steps, slo }: Soak, span: Span, horizon: number): Drift {
  const points = steps
    .filter((s) => s.load === load)
    .flatMap(({ measuredFrom, summary }) =>
      summary.seconds.flatMap(({ at, p50 }) =>
        p50 === undefined ? [] : [{ at: measuredFrom + at * 1000, value: p50 }],
      ),
    );
  const limit = slo.p50 ?? slo.p95 ?? slo.p99;
  return towardsLimit(estimateGrowth(points, span, median), {
    ...{ of: 'latency', name: load, what: `the latency of ${load}`, unit: inMilliseconds, horizon },
    ...(limit !== undefined && { limit: { value: limit, text: 'the objective' } }),
    leastGrowth: LEAST_LATENCY_SECONDS,
  });
}

/** The backlog by the mean of each window. Above what arrives within a drain, accepted executions no longer end within it. */
function backlogDrift(load: string, { steps, drainSeconds }: Soak, span: Span, horizon: number): Drift[] {
  const ofLoad = steps.filter((s) => s.load === load);
  const rate = ofLoad[0]?.rate;
  const points = ofLoad.flatMap(({ measuredFrom, backlog }) =>
    backlog.map((b) => ({ at: measuredFrom + b.at * 1000, value: b.waiting ?? b.executions })),
  );
  if (rate === undefined || points.length === 0) return [];
  return [
    towardsLimit(estimateGrowth(points, span, mean), {
      ...{ of: 'backlog', name: load, what: `the backlog of ${load}`, unit: executions, horizon },
      limit: { value: Math.max(2 * LEAST_BACKLOG, rate * drainSeconds), text: 'the most that a drain can complete' },
      leastGrowth: LEAST_BACKLOG,
    }),
  ];
}

/** Tables stay level once rows are pruned as fast as they are inserted; before the oldest are due they grow. */
function rowsDrift({ table, rows, insertedPerHour }: TableRows, span: Span): Drift {
  const growth = estimateGrowth(
    rows.map(({ at, count }) => ({ at, value: count })),
    span,
    min,
  );
  if (!growth) return tooShort('rows', table, table);
  const unit = (n: number) => `${formatNumber(n)} rows`;
  const grows = isGrowing('rows', growth);
  const prunedPerHour = insertedPerHour === undefined ? undefined : Math.max(0, insertedPerHour - growth.whole.slope);
  const pruning =
    prunedPerHour === undefined
      ? ''
      : `; ${formatNumber(insertedPerHour!)} inserted, ${formatNumber(prunedPerHour)} pruned`;
  const drift = withoutLimit(growth, { of: 'rows', name: table, what: table, unit, horizon: 0 }, grows);
  return { ...drift, text: drift.text + pruning, ...(prunedPerHour !== undefined && { prunedPerHour }) };
}

const inMilliseconds = (seconds: number) => `${formatNumber(seconds * 1000)} ms`;
const executions = (n: number) => `${formatNumber(n)} executions`;
