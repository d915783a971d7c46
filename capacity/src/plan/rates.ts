import { runAllChecks, checkEach, throwIfProblems } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import {
  type Day,
  HOLD_SECONDS,
  PERCENTILES,
  SHARE_ABOVE,
  type RatePlan,
  type RatesOf,
  type Slo,
} from '../model/plan.js';
import { MIN_SAMPLES, samplesToClaim } from '../stats/intervals.js';
import { flag, type Naming, type ValidateOptions } from './options.js';
import { arrivalRate, largeNumber, percentage, wholeNumber } from './quantities.js';

/** The default search; `lowest`, and a higher `start` where needed, follow from the length of a step. */
const SEARCH = { kind: 'search', start: 2, factor: 2, lowest: 0 } as const;
/** Two workloads take about ten minutes at this precision; before a release or a purchase, use a finer one. */
const DEFAULT_PRECISION = 0.1;
/** From this precision on, a search is quick (run/profiles/quick-search.ts): too rough to compare the configurations of a sweep. */
export const QUICK_PRECISION = 0.4;
/** Steps of a search besides its bisections: on the way up, and repeats of close results. */
const STEPS_UP = 12;
/** Default factor above the target that a deployment must sustain. */
export const DEFAULT_HEADROOM = 1.3;

/** Shortest and longest step of a search whose length the user did not set, in seconds. */
export const SHORT_STEP = 10;
const LONG_STEP = 60;

/**
 * Seconds of a step that can tell rates apart which differ by the precision. A deployment that is offered ε/2 more than it
 * serves falls behind by ε/2 seconds each second (fluid limit of a queue: Newell, Applications of Queueing Theory, 1982,
 * chapter 2). In 3 L/ε seconds its delay reaches 1.5 times the objective L, and the 95th percentile of that ramp exceeds L
 * by a margin against chance. At least 10 s, and at most 60 s.
 */
function kneeSeconds(precision: number, { p50, p95, p99 }: Slo): number {
  const objective = p95 ?? p99 ?? p50;
  if (objective === undefined) return SHORT_STEP;
  return Math.min(LONG_STEP, Math.max(SHORT_STEP, Math.round((3 * objective) / precision)));
}

/**
 * Requests of a step from which a percentile p is known to within the precision at 95 % confidence. The sample quantile of
 * n has the variance p(1 − p) ÷ (n f²), with f the density there (Cramér 1946, section 28.5). The latency of a queue has an
 * exponential tail, in which f times the quantile is −(1 − p) ln(1 − p). A capacity is known at least as well as the
 * percentile that limits it, because near it latency grows faster than the rate.
 */
export function samplesFor(precision: number, { p50, p95 }: Slo): number {
  const p = p95 !== undefined ? 0.95 : p50 === undefined ? 0.99 : 0.5;
  return Math.ceil((1.96 / precision) ** 2 * (p / (1 - p) / Math.log(1 - p) ** 2));
}

/**
 * A search with steps of this length, without rates that are too low for a verdict.
 * @param samples see `samplesFor`; undefined if the user set the length of a step
 */
export function searchWith(rates: RatesOf<'search'>, stepSeconds: number, samples?: number): RatesOf<'search'> {
  const least = MIN_SAMPLES / stepSeconds;
  return { ...rates, start: Math.max(rates.start, least), lowest: least, ...(samples !== undefined && { samples }) };
}

/** The steps that narrow a search need not prove anything: the rate that they find is held until it is proved. */
export const roughly = (precision: number): number => 2 * precision;

/**
 * Seconds of the next step of a search. On the way up most rates hold by a wide margin. From the first broken rate on, a
 * step is long enough to distinguish the rates, up to 60 s.
 * @param planned the length of a step in the plan, in seconds
 */
export function searchStepSeconds(
  rate: number,
  tried: { sustained: boolean }[],
  { samples, precision }: Pick<RatesOf<'search'>, 'samples' | 'precision'>,
  slo: Slo,
  planned: number,
): number {
  if (samples === undefined || tried.every((t) => t.sustained)) return planned;
  return Math.min(LONG_STEP, Math.max(kneeSeconds(roughly(precision), slo), Math.ceil(samples / rate)));
}

/** Longest step at a target whose length the user did not set, in seconds; the verdict says which claims it is too short for. */
export const LONGEST_EXTENSION = 600;

/** Shortest step at a target: what a few slow requests do to those behind them is seen in time. */
export const TARGET_SECONDS = 2 * HOLD_SECONDS;

/**
 * Seconds of a step at a rate that has enough requests, if all goes well, to claim every objective of an SLO.
 * @param least the shortest that is useful
 */
export function claimSeconds(rate: number, slo: Slo, least: number): number {
  return Math.min(LONGEST_EXTENSION, Math.max(least, Math.ceil(claimSamples(slo) / rate)));
}

/** Requests that are enough, if all goes well, to claim every objective of an SLO. */
export function claimSamples(slo: Slo): number {
  const shares = PERCENTILES.flatMap((p) => (slo[p] === undefined ? [] : [SHARE_ABOVE[p]]));
  return Math.max(MIN_SAMPLES, ...[slo.errors, ...shares].map(samplesToClaim));
}

/** Longest time for which a search holds a rate, in seconds … */
const LONGEST_HOLD_SECONDS = 120;
/** … unless so few requests come that their objectives take longer; a few slow ones may be among them. */
export const SPARE_REQUESTS = 1.5;

/**
 * Longest time for which a search holds a rate, in seconds: more where so few requests come that their objectives take longer.
 * @param most where enough of them come
 */
export const longestHold = (rate: number, slo: Slo, most = LONGEST_HOLD_SECONDS): number =>
  Math.min(LONGEST_EXTENSION, Math.max(most, SPARE_REQUESTS * claimSeconds(rate, slo, 0)));

/** The options that choose the rates, as the user wrote them. */
interface RateOptions extends Pick<
  ValidateOptions,
  'target' | 'perDay' | 'peak' | 'headroom' | 'clients' | 'precision'
> {
  rates?: string[];
}

/**
 * How the rates of the steps are chosen: a search unless an option asks for something else.
 * @throws UsageError with all problems
 */
export function ratePlan(options: RateOptions, named: Naming = flag): RatePlan {
  refuseContradictions(options, named);
  const { precision, headroom, chosen } = runAllChecks({
    precision: () => readPrecision(options, named),
    headroom: () => readHeadroom(options, named),
    chosen: () => chosenRates(options, named),
  });
  if (chosen?.kind === 'target') return { ...chosen, headroom };
  return chosen ?? { ...SEARCH, precision, maxSteps: STEPS_UP + 2 * bisections(SEARCH.factor, precision) };
}

/** What an option asks for; undefined: a search. */
function chosenRates(options: RateOptions, named: Naming) {
  const { rates, clients } = options;
  const target = targetGiven(options, named);
  if (target) return { kind: 'target' as const, ...target };
  if (rates !== undefined)
    return { kind: 'rates' as const, rates: checkEach(rates, (rate) => arrivalRate(rate, named('rates'))) };
  if (clients !== undefined)
    return { kind: 'closed' as const, clients: wholeNumber(clients, named('clients'), 1, 10_000) };
  return undefined;
}

function refuseContradictions(options: RateOptions, named: Naming): void {
  const given = (['target', 'perDay', 'rates', 'clients'] as const).filter((key) => options[key] !== undefined);
  const problems: string[] = [];
  if (given.length > 1) problems.push(`${given.map(named).join(' and ')} exclude each other; give one.`);
  if (options.precision !== undefined && given.length > 0)
    problems.push(
      `${named(given[0]!)} and ${named('precision')} exclude each other: only a search for the highest rate has a precision.`,
    );
  if (options.peak !== undefined && options.perDay === undefined)
    problems.push(`${named('peak')} needs ${named('perDay')}.`);
  if (options.headroom !== undefined && options.target === undefined && options.perDay === undefined)
    problems.push(`${named('headroom')} needs ${named('target')} or ${named('perDay')}.`);
  throwIfProblems(problems);
}

function readPrecision({ precision }: RateOptions, named: Naming): number {
  if (precision === undefined) return DEFAULT_PRECISION;
  return percentage(precision, named('precision'), { least: 1, most: 50, such: '5%' });
}

/** The headroom of an option, from 1 to 10; the default if it is not given. Throws UsageError. */
export function readHeadroom({ headroom }: Pick<RateOptions, 'headroom'>, named: Naming = flag): number {
  const factor = headroom === undefined ? DEFAULT_HEADROOM : Number(headroom);
  if (factor >= 1 && factor <= 10) return factor;
  throw new UsageError(`${named('headroom')}: "${headroom}" is not allowed; write a factor from 1 to 10, such as 1.3.`);
}

/** Halvings, in logarithms, of a bracket that is `factor` wide until it is within the precision. */
const bisections = (factor: number, precision: number) =>
  Math.ceil(Math.log2(Math.log(factor) / Math.log1p(precision)));

/** The options for a target, as the user wrote them. */
export type TargetGiven = Pick<RateOptions, 'target' | 'perDay' | 'peak'>;

/**
 * The target of the options, in arrivals per second: of executions a day, the rate of the busiest hour. Undefined if they give
 * none.
 * @throws UsageError
 */
export function targetGiven(
  { target, perDay, peak }: TargetGiven,
  named: Naming = flag,
): { rate: number; day?: Day } | undefined {
  if (target !== undefined && perDay !== undefined)
    throw new UsageError(`${named('target')} and ${named('perDay')} exclude each other; give one.`);
  if (peak !== undefined && perDay === undefined) throw new UsageError(`${named('peak')} needs ${named('perDay')}.`);
  if (target !== undefined) return { rate: arrivalRate(target, named('target')) };
  if (perDay === undefined) return undefined;
  const { executions, factor } = runAllChecks({
    executions: () => largeNumber(perDay, named('perDay')),
    factor: () => (peak === undefined ? undefined : peakFactor(peak, named('peak'))),
  });
  return {
    rate: (executions / 86_400) * (factor ?? 1),
    day: { executions, ...(factor !== undefined && { peak: factor }) },
  };
}

function peakFactor(text: string, name: string): number {
  const factor = Number(/^(\d+(?:\.\d+)?)x?$/.exec(text)?.[1]);
  if (factor >= 1 && factor <= MOST_PEAK) return factor;
  throw new UsageError(
    `${name}: "${text}" is not allowed; write the busiest hour as a multiple of the mean, from 1x to ${MOST_PEAK}x, such as 4x.`,
  );
}

/** All executions of a day in one hour. */
const MOST_PEAK = 24;
