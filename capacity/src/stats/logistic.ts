/** One try of a rate with one deployment. */
export interface RateTry {
  /** Arrivals per second, above 0. */
  rate: number;
  held: boolean;
}

/** A capacity, in arrivals per second; an end is undefined where the tries do not bound it. */
export interface CapacityInterval {
  low?: number;
  high?: number;
}

/**
 * Slopes at which the share of tries that hold falls with the logarithm of the rate. With slopes from 6 to 60, it falls from
 * 90 % to 10 % within a factor of 2.1 to 1.08 (81 to the power 1 ÷ slope). If the true curve is steeper, the interval is too
 * wide, not too narrow.
 */
const SLOPES = geometricSequence(6, 60, 16);
/** Factor beyond the tried rates up to which the capacity is sought. */
const BEYOND_FACTOR = 1.5;
/** Number of capacities whose likelihood is computed. */
const GRID_SIZE = 400;
/** Probability beyond each end of the interval: 90 % lie within. */
const TAIL = 0.05;

/**
 * The capacity as a 90 % interval. The capacity is the rate at which half of the tries hold. The chance to hold is logistic in
 * the logarithm of the rate (Cox, The Regression Analysis of Binary Sequences, 1958). Rates that are fully separated have no
 * maximum-likelihood slope, so the likelihood is averaged over `SLOPES`, all equally likely in logarithms. The capacity is
 * equally likely, in logarithms, from the lowest tried rate ÷ 1.5 to the highest × 1.5. If every try held, only the lower end is
 * known: the capacity at which that would happen in 5 % of cases. If none held, the same applies to the upper end.
 */
export function capacityInterval(tries: RateTry[]): CapacityInterval {
  if (tries.length === 0) return {};
  const rates = tries.map(({ rate }) => rate);
  if (tries.every(({ held }) => held)) {
    const grid = geometricSequence(Math.min(...rates) / 10, Math.max(...rates) * BEYOND_FACTOR, 4 * GRID_SIZE);
    return { low: grid.find((capacity) => likelihood(tries, capacity) >= TAIL)! };
  }
  if (tries.every(({ held }) => !held)) {
    const grid = geometricSequence(Math.min(...rates) / BEYOND_FACTOR, Math.max(...rates) * 10, 4 * GRID_SIZE);
    return { high: grid.findLast((capacity) => likelihood(tries, capacity) >= TAIL)! };
  }
  const grid = geometricSequence(Math.min(...rates) / BEYOND_FACTOR, Math.max(...rates) * BEYOND_FACTOR, GRID_SIZE);
  const weights = grid.map((capacity) => likelihood(tries, capacity));
  const all = weights.reduce((a, b) => a + b);
  const below = cumulativeSums(weights).map((weight) => weight / all);
  return {
    low: grid[below.findIndex((share) => share >= TAIL)]!,
    high: grid[below.findIndex((share) => share >= 1 - TAIL)]!,
  };
}

/** Probability of the tries, averaged over the slopes. */
function likelihood(tries: RateTry[], capacity: number): number {
  const of = (slope: number) =>
    tries.reduce((product, { rate, held }) => {
      const failed = 1 / (1 + (capacity / rate) ** slope);
      return product * (held ? 1 - failed : failed);
    }, 1);
  return SLOPES.reduce((sum, slope) => sum + of(slope), 0) / SLOPES.length;
}

function cumulativeSums(values: number[]): number[] {
  let sum = 0;
  return values.map((value) => (sum += value));
}

/** A geometric sequence of `count` numbers from `from` to `to`. */
function geometricSequence(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from * (to / from) ** (i / (count - 1)));
}
