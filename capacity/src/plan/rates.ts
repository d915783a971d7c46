import type { ValidateOptions } from './options.js';
import { UsageError } from '../core/errors.js';
import { samplesToClaim, MIN_SAMPLES } from '../stats/intervals.js';
import type { RatePlan, Slo } from '../model/plan.js';
import { arrivalRate, percentage, wholeNumber } from './quantities.js';

/** What a search does when nobody says otherwise; `lowest` and a higher `start` follow from the length of a step. */
const SEARCH = { kind: 'search', start: 2, factor: 2, lowest: 0 } as const;
/** Two workloads take minutes with it; a release or a purchase deserves more. */
const DEFAULT_PRECISION = 0.25;
/** Steps of a search beside its bisections: on its way up, and to look again at what was close. */
const STEPS_UP = 6;

/** A step is at least and at most so long when nobody says otherwise, in seconds. */
const [SHORT_STEP, LONG_STEP] = [10, 60];

/**
 * Seconds of a step that can tell rates apart which differ by the precision. A target that is offered ε/2 more than it
 * serves falls behind by ε/2 seconds each second (fluid limit of a queue: Newell, Applications of Queueing Theory, 1982,
 * chapter 2). In 3 L/ε seconds its delay reaches 1.5 times the objective L, and the 95th percentile of that ramp is past L
 * by a margin against chance. At least 10 s, which is also what other kinds of run take, and at most 60 s.
 */
export function stepSecondsFor(rates: RatePlan, { p50, p95, p99 }: Slo): number {
  const objective = p95 ?? p99 ?? p50;
  if (rates.kind !== 'search' || objective === undefined) return SHORT_STEP;
  return Math.min(LONG_STEP, Math.max(SHORT_STEP, Math.round((3 * objective) / rates.precision)));
}

/**
 * Requests of a step from which a percentile p is known to within the precision at 95 % confidence. The sample quantile of
 * n has the variance p(1 − p) ÷ (n f²) with f the density there (Cramér 1946, section 28.5); the latency of a queue has an
 * exponential tail, in which f times the quantile is −(1 − p) ln(1 − p). A capacity is known at least as well as the
 * percentile that limits it, since near it latency grows faster than the rate.
 */
export function samplesFor(precision: number, { p50, p95 }: Slo): number {
  const p = p95 !== undefined ? 0.95 : p50 === undefined ? 0.99 : 0.5;
  return Math.ceil((1.96 / precision) ** 2 * (p / (1 - p) / Math.log(1 - p) ** 2));
}

/**
 * A search with steps of so many seconds: no rate in it is too low for a verdict.
 * @param samples see `samplesFor`; absent where the length of a step was given, and is meant
 */
export function searchWith(rates: Search, stepSeconds: number, samples?: number): Search {
  const least = MIN_SAMPLES / stepSeconds;
  return { ...rates, start: Math.max(rates.start, least), lowest: least, ...(samples !== undefined && { samples }) };
}

type Search = Extract<RatePlan, { kind: 'search' }>;

/**
 * Seconds of the next step of a search. On the way up most rates hold by far; from the first that broke on, a step is as
 * long as its percentile needs, up to 60 s.
 * @param planned what the plan says of a step, in seconds
 */
export function searchStepSeconds(
  rate: number,
  tried: { sustained: boolean }[],
  { samples }: Pick<Search, 'samples'>,
  planned: number,
): number {
  if (samples === undefined || tried.every((t) => t.sustained)) return planned;
  return Math.max(planned, Math.min(LONG_STEP, Math.ceil(samples / rate)));
}

/** Longer than this nobody waits for a step that was not asked to be so long; the verdict then says what it cannot claim. */
export const LONGEST_EXTENSION = 600;

/** Seconds of a step at a target whose requests, without a failure, are enough to claim the objective for errors. */
export function claimSeconds({ rate, headroom }: Extract<RatePlan, { kind: 'target' }>, { errors }: Slo): number {
  const samples = Math.max(MIN_SAMPLES, samplesToClaim(errors));
  return Math.min(LONGEST_EXTENSION, Math.ceil(samples / (rate * headroom)));
}

type RateOptions = Pick<ValidateOptions, 'target' | 'perDay' | 'peak' | 'headroom' | 'rates' | 'clients' | 'precision'>;

/** How the rates of the steps are chosen, from the flags. Throws UsageError. */
export function ratePlan(options: RateOptions): RatePlan {
  const precision = options.precision === undefined ? DEFAULT_PRECISION : percentage(options.precision, '--precision');
  if (!(precision >= 0.01 && precision <= 0.5))
    throw new UsageError(`--precision: "${options.precision}" is not allowed; write 1% to 50%, as in 5%.`);
  const given = (['target', 'perDay', 'rates', 'clients'] as const).filter((key) => options[key] !== undefined);
  if (given.length > 1) throw new UsageError(`${given.map(flag).join(' and ')} exclude each other: give one.`);
  if (options.precision !== undefined && given.length > 0)
    throw new UsageError(
      `${flag(given[0]!)} and --precision exclude each other: precision is what a search ends with.`,
    );
  for (const [key, needs] of [
    ['peak', 'perDay'],
    ['headroom', given.includes('perDay') ? 'perDay' : 'target'],
  ] as const) {
    if (options[key] !== undefined && options[needs] === undefined)
      throw new UsageError(`${flag(key)} needs ${key === 'headroom' ? '--target or --per-day' : flag(needs)}.`);
  }
  const headroom = options.headroom === undefined ? 1.3 : Number(options.headroom);
  if (!(headroom >= 1 && headroom <= 10))
    throw new UsageError(`--headroom: "${options.headroom}" is not allowed; write a factor from 1 to 10, as in 1.3.`);
  if (options.target !== undefined) return { kind: 'target', rate: arrivalRate(options.target, '--target'), headroom };
  if (options.perDay !== undefined) return { kind: 'target', rate: perDay(options.perDay, options.peak), headroom };
  if (options.rates !== undefined)
    return { kind: 'rates', rates: options.rates.split(',').map((r) => arrivalRate(r, '--rates')) };
  if (options.clients !== undefined)
    return { kind: 'closed', clients: wholeNumber(options.clients, '--clients', 1, 10_000) };
  return { ...SEARCH, precision, maxSteps: STEPS_UP + 2 * bisections(SEARCH.factor, precision) };
}

/** Halvings, in logarithms, of a bracket that is `factor` wide until it is within the precision. */
const bisections = (factor: number, precision: number) =>
  Math.ceil(Math.log2(Math.log(factor) / Math.log1p(precision)));

/** `perDay` as it is given on a command line. */
export const flag = (key: string) => `--${key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;

/** Executions a day, as the rate of the busiest hour: the mean times the peak factor. */
function perDay(text: string, peak = '1x'): number {
  const executions = wholeNumber(text.replace(/[_']/g, ''), '--per-day', 1, 1_000_000_000);
  const factor = Number(/^(\d+(?:\.\d+)?)x?$/.exec(peak)?.[1]);
  if (!(factor >= 1 && factor <= 1000))
    throw new UsageError(
      `--peak: "${peak}" is not allowed; write how many times the mean the busiest hour is, as in 4x.`,
    );
  return (executions / 86_400) * factor;
}
