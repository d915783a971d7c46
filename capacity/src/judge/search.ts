import { sum } from 'simple-statistics';

/** One try of a rate. Lists of tries are in the order of trying. */
export interface Tried {
  /** Arrivals per second. */
  rate: number;
  sustained: boolean;
  /** How long it was tried; every try counts the same where it is not given. */
  seconds?: number;
  /** The rate failed by more than chance explains, so another try is pointless. */
  clear?: boolean;
  /** The steps at this rate prove together that every objective is met. */
  proved?: boolean;
}

/** How to search for the capacity. */
export interface SearchConfig {
  /** First rate, in arrivals per second. */
  start: number;
  /** Each step up multiplies the rate by this; above 1. */
  factor: number;
  /** The search ends when the lowest rate that broke is at most (1 + precision) times the highest that held. */
  precision: number;
  /** Most steps, repeats included. */
  maxSteps: number;
  /** Below this rate a step has too few samples to be judged. */
  lowest: number;
}

/**
 * The next rate to try; undefined when the search has ended. Geometric steps up while rates hold (down if the first does
 * not), then bisection at the geometric mean of the highest rate that held and the lowest that did not. A rate that barely
 * failed is tried again, and a third time if the two tries differ, so that noise does not end the search.
 */
export function nextRate(tried: Tried[], config: SearchConfig): number | undefined {
  if (tried.length === 0) return config.start;
  if (tried.length >= config.maxSteps) return undefined;
  const last = tried.at(-1)!;
  if (isOpen(tried.filter((t) => t.rate === last.rate))) return last.rate;

  const { held, broken } = bracket(tried);
  const rounded = (rate: number) => roundedTo(rate, config.precision);
  if (broken === undefined) return rounded(held! * config.factor);
  if (held === undefined) {
    const lower = rounded(broken / config.factor);
    return lower < config.lowest ? undefined : lower;
  }
  if (broken <= held * (1 + config.precision)) return undefined;
  const middle = rounded(Math.sqrt(held * broken));
  return middle > held && middle < broken ? middle : undefined;
}

/** The lowest rate that did not hold, and the highest below it that did; each undefined if there is none. */
export function bracket(tried: Tried[]): { held?: number; broken?: number } {
  const rates = [...new Set(tried.map((t) => t.rate))];
  const holds = (rate: number) => majorityHeld(tried.filter((t) => t.rate === rate));
  const broken = Math.min(...rates.filter((r) => !holds(r)));
  const held = Math.max(...rates.filter((r) => r < broken && holds(r)));
  return { ...(Number.isFinite(held) && { held }), ...(Number.isFinite(broken) && { broken }) };
}

/** The highest proved rate below the lowest that broke; undefined if none is proved. */
export function highestProved(tried: Tried[]): number | undefined {
  const { broken = Infinity } = bracket(tried);
  const rates = tried.filter((t) => t.proved && t.rate < broken).map((t) => t.rate);
  const held = rates.filter((rate) => majorityHeld(tried.filter((t) => t.rate === rate)));
  return held.length === 0 ? undefined : Math.max(...held);
}

/** Whether the tries of a rate do not decide yet: one that barely failed, or as many for as against. */
function isOpen(tries: Tried[]): boolean {
  if (tries.some((t) => t.clear && !t.sustained)) return false;
  const held = tries.filter((t) => t.sustained).length;
  return held === 0 ? tries.length === 1 : held === tries.length - held;
}

/**
 * Whether a rate held for most of the time for which it was tried; the last try decides a tie. Steps that held do not outvote one
 * that failed by more than chance explains, as where n8n died.
 */
function majorityHeld(tries: Tried[]): boolean {
  if (tries.some((t) => t.clear && !t.sustained)) return false;
  const time = (some: Tried[]) => sum(some.map((t) => t.seconds ?? 1));
  const [held, broke] = [time(tries.filter((t) => t.sustained)), time(tries.filter((t) => !t.sustained))];
  return held === broke ? tries.at(-1)!.sustained : held > broke;
}

/** Rounds to two significant digits, or three from 100 on or if two would be coarser than the precision. */
export const roundedTo = (rate: number, precision: number): number =>
  Number(rate.toPrecision(rate >= 100 || precision < 0.1 ? 3 : 2));
