import type { LoadPlan, Plan } from '../model/plan.js';
import { QUICK_PRECISION } from '../plan/rates.js';
import { longest } from './context.js';
import { warmupSeconds } from './generate.js';

/** Seconds of a search, chosen: about what `make validate` and docs/example-run took for each workload. */
const SEARCH_SECONDS = 300;
const QUICK_SEARCH_SECONDS = 180;
/** Seconds of an overload, and of the load of every day after it (chosen). */
const OVERLOAD_SECONDS = 60;
/** Seconds until n8n is ready for the load (chosen). */
const START_SECONDS = 30;

/** Payloads that a search for the limit tries for each number of clients, and what each takes beside its load, in seconds (chosen). */
const TRIES = 8;
const AROUND_TRY_SECONDS = 10;

/**
 * About how long a run takes, installs excluded, in seconds. A step that does not decide is extended, and a search ends early
 * when the first rate fails.
 */
export const expectedSeconds = (plan: Plan): number => START_SECONDS + expectedSecondsOf(plan.loads, plan);

/** About how long these loads of a plan take once n8n is ready, in seconds. */
export const expectedSecondsOf = (loads: LoadPlan[], plan: Plan): number =>
  loads.reduce((sum, load) => sum + secondsOf(load, plan), 0);

function secondsOf(load: LoadPlan, plan: Plan): number {
  const { rates, stepSeconds, overload } = plan;
  if (rates.kind === 'search') return rates.precision >= QUICK_PRECISION ? QUICK_SEARCH_SECONDS : SEARCH_SECONDS;
  if (rates.kind === 'payload-limit') return rates.concurrency.length * TRIES * (stepSeconds + AROUND_TRY_SECONDS);
  const steps = rates.kind === 'rates' || rates.kind === 'confirm' ? rates.rates.length : 1;
  return steps * (warmupSeconds(plan, load) + stepSeconds + longest(load)) + (overload ? OVERLOAD_SECONDS : 0);
}
