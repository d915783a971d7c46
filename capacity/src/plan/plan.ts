import { UsageError } from '../core/errors.js';
import { format } from '../core/formats.js';
import { HOLD_SECONDS, type Foreign, type Kind, type Plan, type RatePlan, type Slo } from '../model/plan.js';
import { MIN_SAMPLES } from '../stats/intervals.js';
import { highestRate } from './kinds.js';
import type { Naming } from './options.js';
import {
  roughly,
  claimSeconds,
  LONGEST_EXTENSION,
  samplesFor,
  searchWith,
  SHORT_STEP,
  TARGET_SECONDS,
} from './rates.js';

/** What a run is asked to do, as typed values; each is within its own range. `planOf` checks how they fit each other. */
export interface PlanRequest extends Pick<
  Plan,
  | 'values'
  | 'loads'
  | 'scriptEnv'
  | 'slo'
  | 'warmupSeconds'
  | 'drainSeconds'
  | 'timeoutSeconds'
  | 'arrivals'
  | 'port'
  | 'configOrigin'
> {
  /** Another chart, or its manifests, in the place of this one. */
  foreign?: Foreign;
  /** How the rates of the steps are chosen. The lowest and the first rate of a search follow from the length of its steps. */
  rates: RatePlan;
  /** Measured part of a step; undefined: as long as the rates and the SLO need. */
  stepSeconds?: number;
  /** No step may be above this rate, in arrivals per second; undefined: no limit. */
  maxRate?: number;
  /** Whether each load ends with an overload, where a rate of its own held. */
  overload?: boolean;
  /** Profile the CPU of n8n after the last step of each load. */
  cpuProfile?: true;
  /** Finished executions in the database before the load. */
  seedExecutions?: number;
  /** How errors name the options. */
  named: Naming;
}

/** Kinds of runs that end with an overload. */
const OVERLOADED = new Set<Kind>(['search', 'target', 'rates']);

/** The plan of a request. Throws UsageError when its values do not fit each other. */
export function planOf(request: PlanRequest): Plan {
  const { values, loads, slo, port, maxRate, cpuProfile, scriptEnv, configOrigin } = request;
  const { warmupSeconds, drainSeconds, timeoutSeconds, arrivals } = request;
  const overload = request.overload === true && maxRate === undefined && OVERLOADED.has(request.rates.kind);
  if (arrivals.kind === 'recorded' && request.rates.kind !== 'replay')
    throw new UsageError(
      `${request.named('arrivals')}: a file of arrivals is replayed by validate; write poisson or even.`,
    );
  if (cpuProfile && request.rates.kind === 'closed')
    throw new UsageError(
      `${request.named('cpuProfile')} and ${request.named('clients')} exclude each other: a profile is taken at an arrival rate.`,
    );
  if (maxRate !== undefined) refuseAbove(maxRate, request);
  refuseShortTimeout(request);
  const { stepSeconds, rates } = stepsOf(request);
  return {
    values,
    loads,
    slo,
    scriptEnv: maxRate === undefined ? scriptEnv : { ...scriptEnv, ABORT_ERRORS: String(abortErrors(slo)) },
    ...(maxRate !== undefined && { guard: { maxRate } }),
    stepSeconds,
    warmupSeconds,
    drainSeconds,
    timeoutSeconds,
    arrivals,
    rates,
    overload,
    ...(request.foreign && { foreign: request.foreign }),
    ...(cpuProfile && { cpuProfile }),
    ...(request.seedExecutions !== undefined && { seedExecutions: request.seedExecutions }),
    ...(port !== undefined && { port }),
    ...(configOrigin && { configOrigin }),
  };
}

/** Share of failed requests at which k6 ends a step: too far above the objective to be chance. The scripts take six decimals. */
const abortErrors = ({ errors }: Slo): number => Number(Math.min(1, Math.max(0.1, 3 * errors)).toFixed(6));

function refuseAbove(maxRate: number, { rates, named }: PlanRequest): void {
  if (rates.kind === 'closed')
    throw new UsageError(
      `${named('clients')} and ${named('maxRate')} exclude each other: the arrival rate of clients has no limit.`,
    );
  const highest = highestRate(rates) ?? 0;
  if (highest > maxRate)
    throw new UsageError(
      `${named('maxRate')}: ${format(maxRate)}/s is below the planned ${format(highest)}/s${rates.kind === 'target' ? ' (target × headroom)' : ''}; lower the rate, or raise ${named('maxRate')}.`,
    );
}

function refuseShortTimeout({ timeoutSeconds, loads, named }: PlanRequest): void {
  const service = Math.max(...loads.flatMap((load) => Object.values(load.serviceSeconds)));
  if (timeoutSeconds <= service)
    throw new UsageError(
      `${named('timeout')}: ${timeoutSeconds}s is not allowed: the service time is ${service}s; write a longer timeout.`,
    );
}

/** The length of a step, and the rates with what follows from it. Throws UsageError when a rate is too low for a verdict. */
function stepsOf({ rates, slo, stepSeconds: given, named }: PlanRequest): Pick<Plan, 'rates' | 'stepSeconds'> {
  const stepSeconds = given ?? SHORT_STEP;
  switch (rates.kind) {
    // What is asked for and holds is a PASS: a death after 20 s or a slow pile must have had the time to show.
    case 'closed':
      return { rates, stepSeconds: given ?? HOLD_SECONDS };
    case 'rates': {
      const lowest = Math.min(...rates.rates);
      const seconds = given ?? claimSeconds(lowest, slo, HOLD_SECONDS);
      refuseFewSamples(lowest, seconds, named);
      return { rates, stepSeconds: seconds };
    }
    case 'search': {
      const samples = given === undefined ? samplesFor(roughly(rates.precision), slo) : undefined;
      return { rates: searchWith(rates, stepSeconds, samples), stepSeconds };
    }
    case 'target':
      if (rates.rate * rates.headroom * LONGEST_EXTENSION < MIN_SAMPLES)
        throw new UsageError(
          `the target of ${format(rates.rate)}/s is too low to measure: ${LONGEST_EXTENSION}s give fewer than ${MIN_SAMPLES} requests; write a higher target.`,
        );
      return { rates, stepSeconds: given ?? claimSeconds(rates.rate * rates.headroom, slo, TARGET_SECONDS) };
    default:
      return { rates, stepSeconds };
  }
}

function refuseFewSamples(lowest: number, stepSeconds: number, named: Naming): void {
  if (lowest * stepSeconds >= MIN_SAMPLES) return;
  throw new UsageError(
    `${named('rates')}: ${lowest}/s gives ${Math.floor(lowest * stepSeconds)} requests in ${stepSeconds}s, but a verdict needs ${MIN_SAMPLES}; ` +
      `lengthen the step with ${named('stepDuration')} ${Math.ceil(MIN_SAMPLES / lowest)}s.`,
  );
}
