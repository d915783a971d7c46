/** A rate that was tried, in the order of trying. */
export interface Tried {
  rate: number;
  sustained: boolean;
  /** The objective was missed by so much, or something died, that trying again would tell nothing. */
  clear?: boolean;
}

export interface SearchConfig {
  /** First rate, in arrivals per second. */
  start: number;
  /** Each step up is the last one times this; above 1. */
  factor: number;
  /** The search ends when the lowest broken rate is at most (1 + precision) times the highest sustained one. */
  precision: number;
  /** Most steps, repeats included. */
  maxSteps: number;
  /** Under this rate a step gives too few samples to be judged. */
  lowest: number;
}

/**
 * The next rate to try, or undefined when the search has ended: geometric steps up while they hold (down when the first
 * does not), then bisection between the highest that held and the lowest that did not, in the middle of their logarithms.
 * A rate that did not hold by a hair is tried once more: noise must not end the search.
 */
export function nextRate(tried: Tried[], config: SearchConfig): number | undefined {
  if (tried.length === 0) return config.start;
  if (tried.length >= config.maxSteps) return undefined;
  const last = tried.at(-1)!;
  const isRepeat = tried.slice(0, -1).some((t) => t.rate === last.rate);
  if (!last.sustained && !last.clear && !isRepeat) return last.rate;

  const { held, broken } = bracket(tried);
  if (broken === undefined) return rounded(held! * config.factor);
  if (held === undefined) {
    const lower = rounded(broken / config.factor);
    return lower < config.lowest ? undefined : lower;
  }
  if (broken <= held * (1 + config.precision)) return undefined;
  const middle = rounded(Math.sqrt(held * broken));
  return middle > held && middle < broken ? middle : undefined;
}

/** The highest rate that held below the lowest that did not; a rate tried twice is what its last try says. */
export function bracket(tried: Tried[]): { held?: number; broken?: number } {
  const outcome = new Map(tried.map((t) => [t.rate, t.sustained]));
  const rates = [...outcome.keys()];
  const broken = Math.min(...rates.filter((r) => !outcome.get(r)));
  const held = Math.max(...rates.filter((r) => outcome.get(r) && r < broken));
  return { ...(Number.isFinite(held) && { held }), ...(Number.isFinite(broken) && { broken }) };
}

/** Two significant digits, three above 100: nobody can use more. */
const rounded = (rate: number): number => Number(rate.toPrecision(rate >= 100 ? 3 : 2));
