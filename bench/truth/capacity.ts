import type { Slo } from '../../capacity/src/model/plan.js';
import { percentile } from '../../capacity/src/stats/intervals.js';
import { seededRandom, type Random } from '../../capacity/src/stats/random.js';

/** Requests per simulated rate: the p99 is then known to about 2 %. */
const REQUESTS = 300_000;
/** Halvings of the range of rates. */
const HALVINGS = 9;

/**
 * The highest rate of Poisson arrivals, per second, at which a single server meets the percentiles of an SLO. Determined by long
 * simulations (Lindley's recursion).
 * @param service draws service times with a mean of 1
 * @param rate service rate, per second
 */
export function simulateCapacity(service: (random: Random) => number, rate: number, slo: Slo): number {
  let [holds, breaks] = [0, 1];
  for (let i = 0; i < HALVINGS; i++) {
    const load = (holds + breaks) / 2;
    if (isWithinSlo(simulateSojourns(service, load), rate, slo)) holds = load;
    else breaks = load;
  }
  return ((holds + breaks) / 2) * rate;
}

function isWithinSlo(sorted: Float64Array, rate: number, { p50, p95, p99 }: Slo): boolean {
  const objectives = [
    [0.5, p50],
    [0.95, p95],
    [0.99, p99],
  ] as const;
  return objectives.every(([p, limit]) => limit === undefined || percentile(sorted, p) / rate <= limit);
}

/** Sorted times from arrival to end at a load of 0 to 1, in units of the mean service time. Independent of the service rate. */
function simulateSojourns(service: (random: Random) => number, load: number): Float64Array {
  const known = simulated.get(service) ?? new Map<number, Float64Array>();
  simulated.set(service, known);
  const before = known.get(load);
  if (before) return before;
  const random = seededRandom(1);
  const times = new Float64Array(REQUESTS);
  let waiting = 0;
  for (let i = 0; i < REQUESTS; i++) {
    const served = service(random);
    times[i] = waiting + served;
    waiting = Math.max(0, waiting + served + Math.log(1 - random.uniform()) / load);
  }
  known.set(load, times.sort());
  return times;
}
const simulated = new Map<(random: Random) => number, Map<number, Float64Array>>();
