import { formatNumber, formatHours, formatPercent, formatRate } from '../core/formats.js';
import { HOLD_SECONDS, type Day, type Kind, type RatePlan, type RatesOf } from '../model/plan.js';
import { QUICK_PRECISION, SHORT_STEP } from './rates.js';
import { planListed, planSearch, planTarget, type StepPlan, type StepRequest } from './step-plan.js';

/** A target that a run has to prove, per second, without headroom. */
type Promised = Pick<RatesOf<'target'>, 'rate' | 'headroom' | 'day'>;

/** What a kind of run is, apart from how it is driven and judged. */
interface KindFacts<K extends Kind> {
  /** The command that runs it. */
  tool: 'validate' | 'soak' | 'confirm' | 'burst' | 'payload-limit';
  /** The request in words, for a report. */
  describe(rates: RatesOf<K>): string;
  /** The highest arrival rate that the plan names, per second; undefined if it names none. */
  highest?(rates: RatesOf<K>): number;
  /** Executions per second that must be sustained, headroom included; undefined if the plan names none. */
  target?(rates: RatesOf<K>): number;
  /** A target that the deployment has to hold with headroom, and to survive three times as much; undefined without one. */
  promised?(rates: RatesOf<K>): Promised;
  /** Rates that are driven one after the other; undefined if the plan does not list them. */
  listed?(rates: RatesOf<K>): number[];
  /** The search for the highest sustained rate; undefined if the run does not search. */
  search?(rates: RatesOf<K>): RatesOf<'search'>;
  /** The clients that each wait for their answer; undefined if requests arrive at a rate. */
  closedLoop?(rates: RatesOf<K>): RatesOf<'closed'>;
  /** The search for the largest payload; undefined if the run does not search for it. */
  payloads?(rates: RatesOf<K>): RatesOf<'payload-limit'>;
  /** The rates, and the length of a step in seconds, as they follow from a request; without it the length is as given, or short. */
  plan?(rates: RatesOf<K>, request: StepRequest): StepPlan;
  /** Seconds that a load takes; undefined if it takes a warm-up, a step and a drain for each rate. */
  seconds?(rates: RatesOf<K>, stepSeconds: number): number;
  /** An overload may follow: twice the capacity, or three times the target. */
  hasOverload?: true;
  /** It replays arrivals that were recorded. */
  replays?: true;
  /** Why such a run supports no values, as `a burst`; undefined if they can. */
  notSteady?: string;
}

/** Executions a day in words: how many of them the busiest hour has, and who says so. */
function describeDay({ executions, peak }: Day): string {
  const share = formatPercent((peak ?? 1) / 24);
  const source = peak === undefined ? 'assumed: the same in each hour, as no --peak was given' : `given: peak ${peak}x`;
  return `${executions.toLocaleString('en')} executions a day, of which the busiest hour has ${share} (${source})`;
}

/** Seconds of a search, chosen: about what `make validate` and docs/example-run took for each workload. */
const SEARCH_SECONDS = 300;
const QUICK_SEARCH_SECONDS = 180;
/** Payloads that a search for the limit tries for each number of clients, and what each takes beside its load, in seconds (chosen). */
const TRIES = 8;
const AROUND_TRY_SECONDS = 10;

/** The facts of each kind. */
export const KINDS: { [K in Kind]: KindFacts<K> } = {
  rates: {
    tool: 'validate',
    describe: ({ rates }) => `${rates.join('/s, ')}/s, in this order`,
    highest: ({ rates }) => Math.max(...rates),
    listed: ({ rates }) => rates,
    plan: planListed,
    hasOverload: true,
  },
  search: {
    tool: 'validate',
    describe: ({ start, factor, precision, maxSteps }) =>
      precision >= QUICK_PRECISION
        ? `quick search: a rate that holds for a minute, and an upper bound of the capacity`
        : `search from ${start}/s in steps of × ${factor}, to within ${formatPercent(precision)}, at most ${maxSteps} steps`,
    search: (rates) => rates,
    plan: planSearch,
    seconds: ({ precision }) => (precision >= QUICK_PRECISION ? QUICK_SEARCH_SECONDS : SEARCH_SECONDS),
    hasOverload: true,
  },
  target: {
    tool: 'validate',
    describe: ({ rate, headroom, day }) =>
      `target ${formatRate(rate)} with headroom ${headroom}${day ? `: ${describeDay(day)}` : ''}`,
    highest: ({ rate, headroom }) => rate * headroom,
    target: ({ rate, headroom }) => rate * headroom,
    promised: (rates) => rates,
    plan: planTarget,
    hasOverload: true,
  },
  closed: {
    tool: 'validate',
    describe: ({ clients, clientsPerSecond, overload }) =>
      `${clients} clients${clientsPerSecond === undefined ? '' : ` (${clientsPerSecond} more for each second that the answer takes)`} that each wait for their answer (closed model)${overload === undefined ? '' : `, then ${overload} times what they got through`}`,
    closedLoop: (rates) => rates,
    // A death after 20 s or a slow pile must have had the time to show.
    plan: (rates, { stepSeconds = HOLD_SECONDS }) => ({ rates, stepSeconds }),
    notSteady: 'a closed loop of clients',
  },
  soak: {
    tool: 'soak',
    describe: ({ rate, horizonSeconds }) =>
      `${rate}/s for the whole step (soak), judged for ${formatHours(horizonSeconds / 3600)} ahead`,
    highest: ({ rate }) => rate,
    target: ({ rate }) => rate,
  },
  replay: {
    tool: 'validate',
    describe: ({ rate, busiest, times }) =>
      `recorded arrivals × ${times}: ${formatRate(rate)} on average, ${formatRate(busiest)} in the busiest 10 s`,
    highest: ({ busiest }) => busiest,
    target: ({ rate }) => rate,
    replays: true,
  },
  confirm: {
    tool: 'confirm',
    describe: ({ rates }) => `${rates.map(formatNumber).join('/s, ')}/s, in this order, each until its steps decide`,
    highest: ({ rates }) => Math.max(...rates),
    target: ({ rates }) => Math.max(...rates),
    listed: ({ rates }) => rates,
  },
  burst: {
    tool: 'burst',
    describe: ({ base, spike, spikeSeconds, drainWithinSeconds }) =>
      `${base}/s, ${spike}/s for ${spikeSeconds} s, ${base}/s again; backlog drained within ${drainWithinSeconds} s`,
    highest: ({ spike }) => spike,
    notSteady: 'a burst',
  },
  'payload-limit': {
    tool: 'payload-limit',
    describe: ({ concurrency, maxMiB }) => `${concurrency.join(', ')} clients, up to ${maxMiB} MiB over all of them`,
    payloads: (rates) => rates,
    seconds: ({ concurrency }, stepSeconds) => concurrency.length * TRIES * (stepSeconds + AROUND_TRY_SECONDS),
    notSteady: 'a search for the payload limit',
  },
};

/** The facts of a plan's kind, which fit its rates. */
const factsOf = (rates: RatePlan) => KINDS[rates.kind] as KindFacts<Kind>;

/** The command that runs such a plan. */
export const toolOf = (rates: RatePlan): string => factsOf(rates).tool;

/** The request in words, for a report. */
export const describeRates = (rates: RatePlan): string => factsOf(rates).describe(rates);

/** The highest arrival rate that a plan names, per second; undefined if it names none. */
export const highestRate = (rates: RatePlan): number | undefined => factsOf(rates).highest?.(rates);

/** Executions per second that must be sustained, headroom included; undefined if the plan names none. */
export const targetRate = (rates: RatePlan): number | undefined => factsOf(rates).target?.(rates);

/** Why such a run supports no values; undefined if they can. */
export const notSteady = (rates: RatePlan): string | undefined => factsOf(rates).notSteady;

/** A target that the deployment has to hold with headroom, and to survive three times as much; undefined without one. */
export const promisedTarget = (rates: RatePlan): Promised | undefined => factsOf(rates).promised?.(rates);

/** Rates that are driven one after the other; undefined if the plan does not list them. */
export const listedRates = (rates: RatePlan): number[] | undefined => factsOf(rates).listed?.(rates);

/** The search for the highest sustained rate; undefined if the run does not search. */
export const searchOf = (rates: RatePlan): RatesOf<'search'> | undefined => factsOf(rates).search?.(rates);

/** The clients that each wait for their answer; undefined if requests arrive at a rate. */
export const closedLoopOf = (rates: RatePlan): RatesOf<'closed'> | undefined => factsOf(rates).closedLoop?.(rates);

/** The search for the largest payload; undefined if the run does not search for it. */
export const payloadSearchOf = (rates: RatePlan): RatesOf<'payload-limit'> | undefined =>
  factsOf(rates).payloads?.(rates);

/** Whether an overload may follow the rates. */
export const hasOverload = (rates: RatePlan): boolean => factsOf(rates).hasOverload === true;

/** Whether recorded arrivals are replayed. */
export const isReplay = (rates: RatePlan): boolean => factsOf(rates).replays === true;

/** Seconds that a load takes; undefined if it takes a warm-up, a step and a drain for each of its rates. */
export const knownSeconds = (rates: RatePlan, stepSeconds: number): number | undefined =>
  factsOf(rates).seconds?.(rates, stepSeconds);

/** The rates, and the length of a step, as they follow from a request. Throws UsageError when a rate is too low for a verdict. */
export const planSteps = (rates: RatePlan, request: StepRequest): StepPlan =>
  factsOf(rates).plan?.(rates, request) ?? { rates, stepSeconds: request.stepSeconds ?? SHORT_STEP };
