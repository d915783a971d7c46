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
 * A rate that did not hold by a hair is tried again, and once more when the two tries differ: noise must not end the search.
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

/** The highest rate that held below the lowest that did not; absent where there is none. */
export function bracket(tried: Tried[]): { held?: number; broken?: number } {
  const rates = [...new Set(tried.map((t) => t.rate))];
  const holds = (rate: number) => majorityHeld(tried.filter((t) => t.rate === rate));
  const broken = Math.min(...rates.filter((r) => !holds(r)));
  const held = Math.max(...rates.filter((r) => r < broken && holds(r)));
  return { ...(Number.isFinite(held) && { held }), ...(Number.isFinite(broken) && { broken }) };
}

/** Whether one more try of a rate would decide what its tries so far leave open. */
function isOpen(tries: Tried[]): boolean {
  if (tries.some((t) => t.clear && !t.sustained)) return false;
  const held = tries.filter((t) => t.sustained).length;
  return held === 0 ? tries.length === 1 : held === tries.length - held;
}

/** What most tries of a rate say; the last of them where there are as many for as against. */
function majorityHeld(tries: Tried[]): boolean {
  const held = tries.filter((t) => t.sustained).length;
  return 2 * held === tries.length ? tries.at(-1)!.sustained : 2 * held > tries.length;
}

/** Two significant digits, three where two would be coarser than the precision or above 100: nobody can use more. */
const roundedTo = (rate: number, precision: number): number =>
  Number(rate.toPrecision(rate >= 100 || precision < 0.1 ? 3 : 2));
