import { closedLoopOf, hasOverload, highestRate, isReplay, planSteps, promisedTarget } from './kinds.js';
import { UsageError } from '../core/errors.js';
import { formatNumber } from '../core/formats.js';
import type { Foreign, Plan, RatePlan, Slo } from '../model/plan.js';
import type { Naming } from './options.js';

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

/** The plan of a request. Throws UsageError when its values do not fit each other. */
export function buildPlan(request: PlanRequest): Plan {
  const { values, loads, slo, port, maxRate, cpuProfile, scriptEnv, configOrigin } = request;
  const { warmupSeconds, drainSeconds, timeoutSeconds, arrivals } = request;
  const overload = request.overload === true && maxRate === undefined && hasOverload(request.rates);
  if (arrivals.kind === 'recorded' && !isReplay(request.rates))
    throw new UsageError(
      `${request.named('arrivals')}: a file of arrivals is replayed by validate; write poisson or even.`,
    );
  if (cpuProfile && closedLoopOf(request.rates))
    throw new UsageError(
      `${request.named('cpuProfile')} and ${request.named('clients')} exclude each other: a profile is taken at an arrival rate.`,
    );
  if (maxRate !== undefined) refuseAbove(maxRate, request);
  refuseShortTimeout(request);
  const { stepSeconds, rates } = planSteps(request.rates, request);
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
  if (closedLoopOf(rates))
    throw new UsageError(
      `${named('clients')} and ${named('maxRate')} exclude each other: the arrival rate of clients has no limit.`,
    );
  const highest = highestRate(rates) ?? 0;
  if (highest > maxRate)
    throw new UsageError(
      `${named('maxRate')}: ${formatNumber(maxRate)}/s is below the planned ${formatNumber(highest)}/s${promisedTarget(rates) ? ' (target × headroom)' : ''}; lower the rate, or raise ${named('maxRate')}.`,
    );
}

function refuseShortTimeout({ timeoutSeconds, loads, named }: PlanRequest): void {
  const service = Math.max(...loads.flatMap((load) => Object.values(load.serviceSeconds)));
  if (timeoutSeconds <= service)
    throw new UsageError(
      `${named('timeout')}: ${timeoutSeconds}s is not allowed: the service time is ${service}s; write a longer timeout.`,
    );
}
