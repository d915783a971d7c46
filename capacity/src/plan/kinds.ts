import { format, hoursOrDays, percent, perSecond } from '../core/formats.js';
import { QUICK_PRECISION } from './rates.js';
import type { Day, Kind, RatePlan, RatesOf } from '../model/plan.js';

/** Facts about a kind of run, apart from how it is driven and judged. */
interface KindFacts<K extends Kind> {
  /** The command that runs it. */
  tool: 'validate' | 'soak' | 'confirm' | 'burst' | 'payload-limit';
  /** The request in words, for a report. */
  describe(rates: RatesOf<K>): string;
  /** The highest arrival rate that the plan names, per second; undefined if it names none. */
  highest?(rates: RatesOf<K>): number;
  /** Executions per second that must be sustained, headroom included; undefined if the plan names none. */
  target?(rates: RatesOf<K>): number;
  /** Why such a run supports no values, as `a burst`; undefined if they can. */
  notSteady?: string;
}

/** Executions a day in words: how many of them the busiest hour has, and who says so. */
function describeDay({ executions, peak }: Day): string {
  const share = percent((peak ?? 1) / 24);
  const source = peak === undefined ? 'assumed: the same in each hour, as no --peak was given' : `given: peak ${peak}x`;
  return `${executions.toLocaleString('en')} executions a day, of which the busiest hour has ${share} (${source})`;
}

const KINDS: { [K in Kind]: KindFacts<K> } = {
  rates: {
    tool: 'validate',
    describe: ({ rates }) => `${rates.join('/s, ')}/s, in this order`,
    highest: ({ rates }) => Math.max(...rates),
  },
  search: {
    tool: 'validate',
    describe: ({ start, factor, precision, maxSteps }) =>
      precision >= QUICK_PRECISION
        ? `quick search: a rate that holds for a minute, and an upper bound of the capacity`
        : `search from ${start}/s in steps of × ${factor}, to within ${percent(precision)}, at most ${maxSteps} steps`,
  },
  target: {
    tool: 'validate',
    describe: ({ rate, headroom, day }) =>
      `target ${perSecond(rate)} with headroom ${headroom}${day ? `: ${describeDay(day)}` : ''}`,
    highest: ({ rate, headroom }) => rate * headroom,
    target: ({ rate, headroom }) => rate * headroom,
  },
  closed: {
    tool: 'validate',
    describe: ({ clients, clientsPerSecond, overload }) =>
      `${clients} clients${clientsPerSecond === undefined ? '' : ` (${clientsPerSecond} more for each second that the answer takes)`} that each wait for their answer (closed model)${overload === undefined ? '' : `, then ${overload} times what they got through`}`,
    notSteady: 'a closed loop of clients',
  },
  soak: {
    tool: 'soak',
    describe: ({ rate, horizonSeconds }) =>
      `${rate}/s for the whole step (soak), judged for ${hoursOrDays(horizonSeconds / 3600)} ahead`,
    highest: ({ rate }) => rate,
    target: ({ rate }) => rate,
  },
  replay: {
    tool: 'validate',
    describe: ({ rate, busiest, times }) =>
      `recorded arrivals × ${times}: ${perSecond(rate)} on average, ${perSecond(busiest)} in the busiest 10 s`,
    highest: ({ busiest }) => busiest,
    target: ({ rate }) => rate,
  },
  confirm: {
    tool: 'confirm',
    describe: ({ rates }) => `${rates.map(format).join('/s, ')}/s, in this order, each until its steps decide`,
    highest: ({ rates }) => Math.max(...rates),
    target: ({ rates }) => Math.max(...rates),
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
