import { GENERATOR_CPU_SHARE, GENERATOR_LIMIT_SHARE, samplesToClaim } from 'n8n-capacity';
import type { CellRecord } from '../record/schema.js';

/** Measures of latency. When k6 is near its own limit, they include the queue in k6. */
const LATENCY_MEASURES = ['p50', 'p95', 'p99', 'p50Then', 'p95Then'];

/** Requests per client. In a closed loop, the edges of the measured part are uncertain by one request per client. */
const MIN_REQUESTS_PER_CLIENT = 2;

/** Share of failed and dropped requests above which percentiles cover only the survivors, and a rate proves no claim. */
export const MAX_FAILED_SHARE = 0.01;

/** Measures that k6 takes; the others come from n8n, /proc or the queue. */
const LOAD_MEASURES = ['rate', 'answered', 'requests', 'slotUse', ...LATENCY_MEASURES];
export const isLoadMeasure = (measure: string): boolean => LOAD_MEASURES.includes(measure);

/** Requests due in the measured part, and the share that failed or were dropped; undefined if none were due. */
export function failureShare({ load }: Pick<CellRecord, 'load'>): { due: number; share: number } | undefined {
  if (!load) return undefined;
  const due = load.answered + load.failed + load.dropped;
  return due === 0 ? undefined : { due, share: (load.failed + load.dropped) / due };
}

/** Share of the asked multiple; a smaller overload is INCONCLUSIVE. */
const MIN_OVERLOAD_SHARE = 0.9;

/** Measures that are valid even if the overload was smaller than asked. */
const UNAFFECTED_MEASURES = ['capacity', 'arrived'];

/**
 * The reason why the overload was smaller than asked; undefined if it was not. The load is set from the capacity measured before,
 * which can differ from the mean of before and after.
 */
function overloadShortfall({ of, overload }: Partial<Pick<CellRecord, 'of' | 'overload'>>): string | undefined {
  if (of?.times !== undefined && overload === undefined) return 'no overload was applied';
  const times = overloadFactor({ overload });
  if (times === undefined || of?.times === undefined || times >= MIN_OVERLOAD_SHARE * Number(of.times))
    return undefined;
  return `only ${times.toFixed(1)} times the capacity arrived instead of ${of.times}`;
}

/** Arrival rate of an overload as a multiple of the capacity; undefined without an overload. */
export function overloadFactor({ overload }: Partial<Pick<CellRecord, 'overload'>>): number | undefined {
  if (!overload) return undefined;
  const { answered, refused, failed, seconds, capacity } = overload;
  return (answered + refused + failed) / seconds / capacity;
}

/**
 * The reason why a figure of a cell is INCONCLUSIVE; undefined if it is not.
 * @param allowSmallerOverload whether a smaller overload than asked is accepted
 */
export function inconclusiveReason(
  measure: string,
  { load, ...cell }: Partial<Pick<CellRecord, 'load' | 'of' | 'overload' | 'refused'>>,
  allowSmallerOverload = false,
): string | undefined {
  if (cell.refused !== undefined) return measure === 'outcome' ? undefined : 'nothing ran';
  const why = allowSmallerOverload && (overloadFactor(cell) ?? 0) > 1 ? undefined : overloadShortfall(cell);
  if (why !== undefined && !UNAFFECTED_MEASURES.includes(measure)) return why;
  if (!load) return undefined;
  if (load.problem !== undefined) return load.problem;
  if (!isLoadMeasure(measure)) return undefined;
  const { k6CpuShare, k6Limit, clients, answered, failed, seconds } = load;
  const reached = k6Limit === undefined ? 0 : answered / seconds / k6Limit;
  const mostOfRate = LATENCY_MEASURES.includes(measure) ? GENERATOR_LIMIT_SHARE : GENERATOR_CPU_SHARE;
  if ((k6CpuShare ?? 0) >= GENERATOR_CPU_SHARE || reached >= mostOfRate)
    return `k6 was at ${Math.round(Math.max(k6CpuShare ?? 0, reached) * 100)} % of its limit`;
  const isRate = measure === 'rate' || measure === 'slotUse';
  if (isRate && clients !== undefined && answered + failed < MIN_REQUESTS_PER_CLIENT * clients)
    return `${clients} clients sent only ${answered + failed} requests after the warm-up; a rate needs at least ${MIN_REQUESTS_PER_CLIENT} per client`;
  return undefined;
}

/** Number of answers needed to bound a percentile at 95 % confidence; 0 for other measures. */
export const requiredAnswers = (measure: string): number => {
  const share = { p50: 0.5, p95: 0.95, p99: 0.99 }[measure];
  return share === undefined ? 0 : samplesToClaim(1 - share);
};
