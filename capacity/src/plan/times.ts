import { flag, type Naming, type ValidateOptions } from './options.js';
import type { PlanRequest } from './plan.js';
import { runAllChecks } from '../core/all-of.js';
import { UsageError } from '../core/errors.js';
import type { Arrivals } from '../model/plan.js';
import { readRecording } from './recording.js';
import { resolve } from 'node:path';
import { duration, wholeNumber } from './quantities.js';

/** Default times of a step, as a user would write them. */
export const STEP_DEFAULTS = { warmup: '3s', drain: '30s', timeout: '60s', arrivals: 'poisson', seed: '1' } as const;

/** Seconds that the measured part of a step may last when the user sets it. */
export const STEP_SECONDS = { least: 5, most: 3600 };

type TimeOptions = Pick<
  ValidateOptions,
  'stepDuration' | 'warmup' | 'drain' | 'timeout' | 'arrivals' | 'seed' | 'times'
>;

/** The times of a step. Throws UsageError with all problems: the option and its range. */
export const stepTimes = (
  { stepDuration, warmup, drain, timeout, arrivals, seed, times }: TimeOptions,
  named: Naming = flag,
): Pick<PlanRequest, 'stepSeconds' | 'warmupSeconds' | 'drainSeconds' | 'timeoutSeconds' | 'arrivals'> =>
  runAllChecks({
    arrivals: () =>
      readArrivals({ how: arrivals ?? STEP_DEFAULTS.arrivals, seed: seed ?? STEP_DEFAULTS.seed, times }, named),
    ...(stepDuration !== undefined && {
      stepSeconds: () => duration(stepDuration, named('stepDuration'), STEP_SECONDS),
    }),
    warmupSeconds: () => duration(warmup, named('warmup'), { least: 1, most: 600 }),
    drainSeconds: () => duration(drain, named('drain'), { least: 1, most: 3600 }),
    timeoutSeconds: () => duration(timeout, named('timeout'), { least: 1, most: 600 }),
  });

/** Whether arrivals are those of a file. */
export const isFile = (arrivals: string = STEP_DEFAULTS.arrivals): boolean =>
  arrivals !== 'even' && arrivals !== 'poisson';

/** Throws UsageError that names the option and what it takes. */
function readArrivals(
  { how, seed: seedText, times }: { how: string; seed: string; times: string | undefined },
  named: Naming,
): Arrivals {
  if (times !== undefined && !isFile(how))
    throw new UsageError(
      `${named('times')} needs ${named('arrivals')} with a file that "n8n-capacity arrivals" wrote.`,
    );
  if (how === 'even') return { kind: 'even' };
  const seed = wholeNumber(seedText, named('seed'), 0, MOST_SEED);
  if (!isFile(how)) return { kind: 'poisson', seed };
  const { from, source } = readRecording(how, named('arrivals'));
  const origin = [source, from].filter((part) => part !== undefined).join(', from ');
  return {
    ...{ kind: 'recorded', file: resolve(how), times: factor(times ?? '1', named('times')), seed },
    ...(origin !== '' && { source: origin }),
  };
}

const MOST_TIMES = 100;

function factor(text: string, name: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0.01 && value <= MOST_TIMES) return value;
  throw new UsageError(`${name}: "${text}" is not allowed; write a factor from 0.01 to ${MOST_TIMES}, such as 1.5.`);
}

/** Steps add their index; k6's scripts take 32 bits. */
const MOST_SEED = 1_000_000_000;
