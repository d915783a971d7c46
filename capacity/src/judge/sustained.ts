import type { StepRecord } from '../model/step.js';
import type { LoadVerdict } from '../model/verdict.js';
import { isPilingUp } from './growing.js';

type Timed = Pick<StepRecord, 'summary' | 'measuredFrom' | 'measuredTo'>;

/** Requests answered per second. */
export const answeredRate = ({ summary, measuredFrom, measuredTo }: Timed): number =>
  summary.answered / ((measuredTo - measuredFrom) / 1000);

/**
 * What clients in a closed loop get through, per second: requests that are answered, or fewer where n8n answers before it has
 * executed, and executions pile up.
 */
export function throughput(step: Timed & Pick<StepRecord, 'clients' | 'backlog'>): number {
  const looks = step.backlog.filter(({ succeeded }) => succeeded !== undefined);
  const [first, last] = [looks[0], looks.at(-1)];
  if (!isPilingUp(step) || !first || !last || last.at <= first.at) return answeredRate(step);
  return Math.min(answeredRate(step), (last.succeeded! - first.succeeded!) / (last.at - first.at));
}

/**
 * The rate that a load sustained within the SLO, in executions per second: its capacity, or the throughput of its clients in
 * a closed step; 0 if it sustained none, or if no rate holds (a death between steps, lost executions).
 */
export function sustainedRate({ capacity, verdict, steps, failsAtAnyRate }: LoadVerdict): number {
  if (failsAtAnyRate) return 0;
  if (capacity !== undefined) return capacity;
  const last = steps.at(-1)?.step;
  return verdict === 'PASS' && last?.clients !== undefined ? throughput(last) : 0;
}

/**
 * The upper end of the interval in which the capacity lies, per second: the lowest rate that broke, or the rate at which the
 * deployment is saturated; undefined if neither is known.
 */
export const upperEnd = ({ broken, saturated }: Pick<LoadVerdict, 'broken' | 'saturated'>): number | undefined =>
  broken ?? saturated?.rate;

/** Whether a load sustains a rate, as far as its run shows. */
export type Standing = 'held' | 'broken' | 'unknown';

/** Rates computed in different ways, as 20 × 1.3 and 26, may differ in their last bits. */
export const ROUNDING = 1e-6;

/**
 * Whether a load sustains a rate: rates up to the capacity hold, rates from the lowest that broke on break; between the two
 * it is unknown. Where n8n died between steps, or lost executions, no rate holds. Where requests fail for ever after an overload,
 * none is known to.
 * @param rate arrivals per second
 */
export function standingAt(load: LoadVerdict, rate: number): Standing {
  const { verdict, capacity, broken, overload, failsAtAnyRate } = load;
  if (failsAtAnyRate) return 'broken';
  if ((overload?.collapsedTo ?? Infinity) < rate) return 'broken';
  if (overload?.failsOn !== undefined) return overload.returnRate <= rate * (1 + ROUNDING) ? 'broken' : 'unknown';
  if (verdict === 'FAIL' && broken === undefined) return 'unknown';
  if (broken !== undefined && broken <= rate * (1 + ROUNDING)) return 'broken';
  const held = capacity !== undefined && capacity >= rate * (1 - ROUNDING);
  return held && verdict !== 'INCONCLUSIVE' ? 'held' : 'unknown';
}
