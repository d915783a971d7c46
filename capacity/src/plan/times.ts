import { flag, type Naming, type ValidateOptions } from './options.js';
import type { PlanRequest } from './plan.js';
import { duration } from './quantities.js';

/** Default times of a step, as a user would write them. */
export const STEP_DEFAULTS = { warmup: '3s', drain: '30s', timeout: '60s' } as const;

/** Seconds that the measured part of a step may last when the user sets it. */
const STEP_SECONDS = { least: 5, most: 3600 };

/** The times of a step. Throws UsageError that names the option and its range. */
export const stepTimes = (
  { stepDuration, warmup, drain, timeout }: Pick<ValidateOptions, 'stepDuration' | 'warmup' | 'drain' | 'timeout'>,
  named: Naming = flag,
): Pick<PlanRequest, 'stepSeconds' | 'warmupSeconds' | 'drainSeconds' | 'timeoutSeconds'> => ({
  ...(stepDuration !== undefined && { stepSeconds: duration(stepDuration, named('stepDuration'), STEP_SECONDS) }),
  warmupSeconds: duration(warmup, named('warmup'), { least: 1, most: 600 }),
  drainSeconds: duration(drain, named('drain'), { least: 1, most: 3600 }),
  timeoutSeconds: duration(timeout, named('timeout'), { least: 1, most: 600 }),
});
