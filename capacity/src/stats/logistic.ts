/** One try of a rate by one deployment. */
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
 * How steeply the share of tries that hold falls with the logarithm of the rate. Between 6 and 60, it falls from 90 % to 10 %
 * within a factor of 2.1 to 1.08 (81 to the power 1 ÷ slope). A steeper curve makes an interval that is too wide, not too narrow.
 */
const SLOPES = geometric(6, 60, 16);
/** The capacity is sought up to this factor beyond the rates that were tried. */
const BEYOND = 1.5;
const GRID = 400;
/** Outside of each end of the interval lies this probability: 90 % lie within. */
const TAIL = 0.05;

/**
 * The capacity as a 90 % interval: the rate at which half of the tries hold, where the chance to hold is logistic in the
 * logarithm of the rate (Cox, The Regression Analysis of Binary Sequences, 1958). Rates that are fully separated have no
 * maximum-likelihood slope, so that the slope is averaged over `SLOPES`, all as likely in logarithms; the capacity is as
 * likely anywhere, in logarithms, from the lowest tried rate ÷ 1.5 to the highest × 1.5. Where every try held, only the lower
 * end is known: the capacity at which that would happen in 5 % of cases; the same for the upper end where none held.
 */
export function capacityInterval(tries: RateTry[]): CapacityInterval {
  if (tries.length === 0) return {};
  const rates = tries.map(({ rate }) => rate);
  if (tries.every(({ held }) => held)) {
    const grid = geometric(Math.min(...rates) / 10, Math.max(...rates) * BEYOND, 4 * GRID);
    return { low: grid.find((capacity) => likelihood(tries, capacity) >= TAIL)! };
  }
  if (tries.every(({ held }) => !held)) {
    const grid = geometric(Math.min(...rates) / BEYOND, Math.max(...rates) * 10, 4 * GRID);
    return { high: grid.findLast((capacity) => likelihood(tries, capacity) >= TAIL)! };
  }
  const grid = geometric(Math.min(...rates) / BEYOND, Math.max(...rates) * BEYOND, GRID);
  const weights = grid.map((capacity) => likelihood(tries, capacity));
  const all = weights.reduce((a, b) => a + b);
  const below = cumulated(weights).map((weight) => weight / all);
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

function cumulated(values: number[]): number[] {
  let sum = 0;
  return values.map((value) => (sum += value));
}

/** `count` numbers from `from` to `to`, each the same factor above the one before. */
function geometric(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from * (to / from) ** (i / (count - 1)));
}
