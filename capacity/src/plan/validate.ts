import type { Plan } from '../model/plan.js';
import { runAllChecks } from '../core/all-of.js';
import { planLoads } from './loads.js';
import { flag, type ValidateOptions } from './options.js';
import { buildPlan, type PlanRequest } from './plan.js';
import { arrivalRate, wholeNumber } from './quantities.js';
import { parseQuery } from './query.js';
import { planReplay } from './replay.js';
import { ratePlan } from './rates.js';
import { parseSlo } from './slo.js';
import { isFile, stepTimes } from './times.js';
import { foreignFrom, foreignValues, type ForeignOptions } from './foreign.js';
import { checkedValues } from './values.js';

/** A plan from the flags; every value is checked before anything starts. Throws UsageError with all problems. */
export function planFromOptions(options: ValidateOptions): Plan {
  const { rates: list, ...asked } = options;
  const { request, slo, rates } = runAllChecks({
    request: () => requestFrom(options),
    slo: () => parseSlo(options.slo),
    // A recording has its own rates, which replayOf compares with the flags.
    rates: () =>
      isFile(options.arrivals)
        ? undefined
        : ratePlan({ ...asked, ...(list !== undefined && { rates: list.split(',') }) }),
  });
  const { arrivals } = request;
  if (arrivals.kind === 'recorded')
    return buildPlan({ ...request, slo, ...planReplay(arrivals, request.loads, options) });
  return buildPlan({ ...request, slo, overload: options.overload === true, rates: rates! });
}

/** The part of a request that commands with one plan read from the same flags. Throws UsageError. */
export function requestFrom(options: ValidateOptions): Omit<PlanRequest, 'rates' | 'slo'> {
  const { query = [], maxRate, seedExecutions, cpuProfile, configOrigin } = options;
  const { deployment, loads, times, limit, seed } = runAllChecks({
    deployment: () => deploymentFrom(options),
    loads: () => planLoads({ ...options, query: parseQuery(query) }),
    times: () => stepTimes(options),
    limit: () => maxRate !== undefined && { maxRate: arrivalRate(maxRate, '--max-rate') },
    seed: () => seedExecutions !== undefined && seeded(seedExecutions),
  });
  return {
    ...deployment,
    ...loads,
    ...times,
    ...(cpuProfile && { cpuProfile: true as const }),
    ...(configOrigin && { configOrigin }),
    ...limit,
    ...seed,
    named: flag,
  };
}

/** 2.2 GB, which the chart's volumes hold. */
const MOST_SEEDED = 1_000_000;

/** Finished executions that the database holds before the load. Throws UsageError. */
export function seeded(text: string): { seedExecutions?: number } {
  const seedExecutions = wholeNumber(text, '--seed-executions', 0, MOST_SEEDED);
  return seedExecutions > 0 ? { seedExecutions } : {};
}

/** The part of a request that says what is deployed. Throws UsageError. */
export function deploymentFrom({
  port,
  ...given
}: ForeignOptions & Pick<ValidateOptions, 'port'>): Pick<PlanRequest, 'values' | 'foreign' | 'port'> {
  const { deployed, front } = runAllChecks({
    deployed: () => {
      const foreign = foreignFrom(given);
      return { values: foreign ? foreignValues(given) : checkedValues(given), ...(foreign && { foreign }) };
    },
    front: () => port !== undefined && { port: wholeNumber(port, '--port', 1, 65535) },
  });
  return { ...deployed, ...front };
}
