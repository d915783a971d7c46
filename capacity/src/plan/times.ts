import { flag, type Naming, type ValidateOptions } from './options.js';
import type { PlanRequest } from './plan.js';
import { UsageError } from '../core/errors.js';
import type { Arrivals } from '../model/plan.js';
import { duration, wholeNumber } from './quantities.js';

/** Default times of a step, as a user would write them. */
export const STEP_DEFAULTS = { warmup: '3s', drain: '30s', timeout: '60s', arrivals: 'poisson', seed: '1' } as const;

/** Seconds that the measured part of a step may last when the user sets it. */
const STEP_SECONDS = { least: 5, most: 3600 };

type TimeOptions = Pick<ValidateOptions, 'stepDuration' | 'warmup' | 'drain' | 'timeout' | 'arrivals' | 'seed'>;

/** The times of a step. Throws UsageError that names the option and its range. */
export const stepTimes = (
  { stepDuration, warmup, drain, timeout, arrivals, seed }: TimeOptions,
  named: Naming = flag,
): Pick<PlanRequest, 'stepSeconds' | 'warmupSeconds' | 'drainSeconds' | 'timeoutSeconds' | 'arrivals'> => ({
  arrivals: arrivalsOf(arrivals ?? STEP_DEFAULTS.arrivals, seed ?? STEP_DEFAULTS.seed, named),
  ...(stepDuration !== undefined && { stepSeconds: duration(stepDuration, named('stepDuration'), STEP_SECONDS) }),
  warmupSeconds: duration(warmup, named('warmup'), { least: 1, most: 600 }),
  drainSeconds: duration(drain, named('drain'), { least: 1, most: 3600 }),
  timeoutSeconds: duration(timeout, named('timeout'), { least: 1, most: 600 }),
});

/** Throws UsageError that names the option and what it takes. */
function arrivalsOf(how: string, seed: string, named: Naming): Arrivals {
  if (how === 'even') return { kind: 'even' };
  if (how === 'poisson') return { kind: 'poisson', seed: wholeNumber(seed, named('seed'), 0, MOST_SEED) };
  throw new UsageError(`${named('arrivals')}: "${how}" is not allowed; write poisson or even.`);
}

/** Steps add their index; k6's scripts take 32 bits. */
const MOST_SEED = 1_000_000_000;
