import { UsageError } from '../core/errors.js';
import { formatNumber } from '../core/formats.js';
import { HOLD_SECONDS, type RatePlan, type RatesOf, type Slo } from '../model/plan.js';
import { MIN_SAMPLES } from '../stats/intervals.js';
import type { Naming } from './options.js';
import {
  claimSeconds,
  LONGEST_EXTENSION,
  roughly,
  samplesFor,
  searchWith,
  SHORT_STEP,
  TARGET_SECONDS,
} from './rates.js';

/** What a request says of its steps. */
export interface StepRequest {
  slo: Slo;
  /** Length of a step in seconds, if the user set it. */
  stepSeconds?: number;
  /** How errors name the options. */
  named: Naming;
}

/** The rates of a plan, and the length of its steps in seconds. */
export interface StepPlan {
  rates: RatePlan;
  stepSeconds: number;
}

/** Rates in a list: each step as long as a proof at the lowest rate takes. Throws UsageError when it is too low for a verdict. */
export function planListed(rates: RatesOf<'rates'>, { slo, stepSeconds: given, named }: StepRequest): StepPlan {
  const lowest = Math.min(...rates.rates);
  const stepSeconds = given ?? claimSeconds(lowest, slo, HOLD_SECONDS);
  if (lowest * stepSeconds < MIN_SAMPLES)
    throw new UsageError(
      `${named('rates')}: ${lowest}/s gives ${Math.floor(lowest * stepSeconds)} requests in ${stepSeconds}s, but a verdict needs ${MIN_SAMPLES}; ` +
        `lengthen the step with ${named('stepDuration')} ${Math.ceil(MIN_SAMPLES / lowest)}s.`,
    );
  return { rates, stepSeconds };
}

/** A search: short steps, longer near the capacity unless the user set their length. */
export function planSearch(rates: RatesOf<'search'>, { slo, stepSeconds: given }: StepRequest): StepPlan {
  const stepSeconds = given ?? SHORT_STEP;
  const samples = given === undefined ? samplesFor(roughly(rates.precision), slo) : undefined;
  return { rates: searchWith(rates, stepSeconds, samples), stepSeconds };
}

/** A target: a step as long as a proof takes. Throws UsageError when the target is too low for a verdict. */
export function planTarget(rates: RatesOf<'target'>, { slo, stepSeconds }: StepRequest): StepPlan {
  const driven = rates.rate * rates.headroom;
  if (driven * LONGEST_EXTENSION < MIN_SAMPLES)
    throw new UsageError(
      `the target of ${formatNumber(rates.rate)}/s is too low to measure: ${LONGEST_EXTENSION}s give fewer than ${MIN_SAMPLES} requests; write a higher target.`,
    );
  return { rates, stepSeconds: stepSeconds ?? claimSeconds(driven, slo, TARGET_SECONDS) };
}
