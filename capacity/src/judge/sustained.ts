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
 * The rate that a load sustained within the SLO, in executions per second. It is the capacity, or in a closed step the throughput
 * of the clients. It is 0 if no rate was sustained, or if none can hold (a death between steps, lost executions).
 */
export function sustainedRate({ capacity, verdict, steps, failsAtAnyRate }: LoadVerdict): number {
  if (failsAtAnyRate) return 0;
  if (capacity !== undefined) return capacity;
  const last = steps.at(-1)?.step;
  return verdict === 'PASS' && last?.clients !== undefined ? throughput(last) : 0;
}

/**
 * The upper end of the capacity's interval, per second: the lowest rate that broke, or the rate of saturation. Undefined if
 * neither is known.
 */
export const upperEnd = ({ broken, saturated }: Pick<LoadVerdict, 'broken' | 'saturated'>): number | undefined =>
  broken ?? saturated?.rate;

/** Whether a load sustains a rate, as far as its run shows. */
export type Standing = 'held' | 'broken' | 'unknown';

/** Rates computed in different ways, as 20 × 1.3 and 26, may differ in their last bits. */
export const ROUNDING = 1e-6;

/**
 * Judges whether a load sustains a rate. Rates up to the capacity hold, and rates from the lowest that broke upwards break. Between
 * the two it is unknown. No rate holds if n8n died between steps or lost executions. No rate is known to hold if requests keep
 * failing after an overload.
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
