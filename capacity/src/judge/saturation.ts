import type { StepRecord } from '../model/step.js';
import { answeredRate } from './sustained.js';

/** Clients twice as many that get through no more than this multiple show that a deployment is saturated. */
const GROWTH = 1.15;

/** A saturated deployment. */
export interface Saturated {
  /** Requests answered per second: no rate of arrivals above it can be sustained. */
  rate: number;
  /** The lower of the two rates that show it: the speed of a shared machine varies. */
  least: number;
  /** The step that got through most. */
  step: StepRecord;
}

/**
 * Returns the throughput of a saturated deployment. The steps have clients that each wait for their answer. The deployment is
 * saturated once twice the clients hardly raise the throughput. The highest throughput counts (the bounds of a closed queueing
 * network: Lazowska et al., Quantitative System Performance, 1984, chapter 5).
 * @param probes steps of one load with ever more clients, in their order; of those with as many, the one that got most through
 *   counts
 * @returns undefined while more clients still get more through
 */
export function findSaturation(probes: StepRecord[]): Saturated | undefined {
  const counts = [...new Set(probes.map(({ clients }) => clients))];
  const fastest = counts.map((clients) => findFastest(probes.filter((p) => p.clients === clients)));
  const rates = fastest.map(answeredRate);
  const flat = rates.findIndex((rate, i) => i > 0 && rate > 0 && rate <= GROWTH * rates[i - 1]!);
  if (flat < 0) return undefined;
  const rate = Math.max(...rates);
  return { rate, least: Math.min(rates[flat - 1]!, rates[flat]!), step: fastest[rates.indexOf(rate)]! };
}

const findFastest = (steps: StepRecord[]) =>
  steps.reduce((best, step) => (answeredRate(step) > answeredRate(best) ? step : best));
