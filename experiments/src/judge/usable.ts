import { GENERATOR_CPU_SHARE, GENERATOR_LIMIT_SHARE, samplesToClaim } from 'n8n-capacity';
import type { CellRecord } from '../record/schema.js';

/** Measures of what answers take: where k6 comes near the rate that it reaches, its own queue is part of them. */
const OF_LATENCY = ['p50', 'p95', 'p99', 'p50Then', 'p95Then'];

/** In a closed loop the edges of the measured part are uncertain by one request of each client. */
const LEAST_REQUESTS_OF_A_CLIENT = 2;

/** Above this share of failed and dropped requests, percentiles are those of the survivors, and a rate proves no claim. */
export const MOST_FAILED = 0.01;

/** Figures of what k6 measured; the others come from n8n, /proc or the queue. */
const OF_LOAD = ['rate', 'answered', 'requests', 'slotUse', ...OF_LATENCY];
export const isOfLoad = (measure: string): boolean => OF_LOAD.includes(measure);

/** Requests that were due in the measured part, and the share of them that failed or were dropped; undefined without any. */
export function failedOf({ load }: Pick<CellRecord, 'load'>): { due: number; share: number } | undefined {
  if (!load) return undefined;
  const due = load.answered + load.failed + load.dropped;
  return due === 0 ? undefined : { due, share: (load.failed + load.dropped) / due };
}

/** An overload of less than this share of the multiple that was asked for says nothing about that. */
const LEAST_OF_TIMES = 0.9;

/** What a cell says whatever overload came. */
const ALWAYS_TRUE = ['capacity', 'arrived'];

/** Why what came was not the overload that was asked for: the capacity before it was not what it turned out to be. */
function whyNoOverload({ of, overload }: Partial<Pick<CellRecord, 'of' | 'overload'>>): string | undefined {
  if (of?.times !== undefined && overload === undefined) return 'no overload arrived';
  const times = timesOf({ overload });
  if (times === undefined || of?.times === undefined || times >= LEAST_OF_TIMES * Number(of.times)) return undefined;
  return `${times.toFixed(1)} times the capacity arrived, not ${of.times}`;
}

/** Requests that arrived in an overload, as a multiple of the capacity; undefined without one. */
export function timesOf({ overload }: Partial<Pick<CellRecord, 'overload'>>): number | undefined {
  if (!overload) return undefined;
  const { answered, refused, failed, seconds, capacity } = overload;
  return (answered + refused + failed) / seconds / capacity;
}

/**
 * Why a figure of a cell is INCONCLUSIVE; undefined if it is not.
 * @param isLessEnough whether an overload of less than was asked for says it, too
 */
export function whyInconclusive(
  measure: string,
  { load, ...cell }: Partial<Pick<CellRecord, 'load' | 'of' | 'overload' | 'refused'>>,
  isLessEnough = false,
): string | undefined {
  if (cell.refused !== undefined) return measure === 'outcome' ? undefined : 'nothing ran';
  const why = isLessEnough && (timesOf(cell) ?? 0) > 1 ? undefined : whyNoOverload(cell);
  if (why !== undefined && !ALWAYS_TRUE.includes(measure)) return why;
  if (!load) return undefined;
  if (load.problem !== undefined) return load.problem;
  if (!isOfLoad(measure)) return undefined;
  const { k6CpuShare, k6Limit, clients, answered, failed, seconds } = load;
  const reached = k6Limit === undefined ? 0 : answered / seconds / k6Limit;
  const mostOfRate = OF_LATENCY.includes(measure) ? GENERATOR_LIMIT_SHARE : GENERATOR_CPU_SHARE;
  if ((k6CpuShare ?? 0) >= GENERATOR_CPU_SHARE || reached >= mostOfRate)
    return `k6 was at ${Math.round(Math.max(k6CpuShare ?? 0, reached) * 100)} % of its limit`;
  const isRate = measure === 'rate' || measure === 'slotUse';
  if (isRate && clients !== undefined && answered + failed < LEAST_REQUESTS_OF_A_CLIENT * clients)
    return `${clients} clients sent ${answered + failed} requests after the warm-up: fewer than ${LEAST_REQUESTS_OF_A_CLIENT} each give no rate`;
  return undefined;
}

/** Answers below which no percentile is bounded at 95 % confidence. */
export const leastAnswers = (measure: string): number => {
  const share = { p50: 0.5, p95: 0.95, p99: 0.99 }[measure];
  return share === undefined ? 0 : samplesToClaim(1 - share);
};
