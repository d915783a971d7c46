import { knownSeconds, listedRates } from '../plan/kinds.js';
import type { LoadPlan, Plan } from '../model/plan.js';
import { longestExecution } from './context.js';
import { warmupSeconds } from './generate.js';

/** Seconds of an overload, and of the load of every day after it (chosen). */
const OVERLOAD_SECONDS = 60;
/** Seconds until n8n is ready for the load (chosen). */
const START_SECONDS = 30;

/**
 * About how long a run takes, installs excluded, in seconds. A step that does not decide is extended, and a search ends early
 * when the first rate fails.
 */
export const expectedSeconds = (plan: Plan): number => START_SECONDS + expectedLoadSeconds(plan.loads, plan);

/** About how long these loads of a plan take once n8n is ready, in seconds. */
export const expectedLoadSeconds = (loads: LoadPlan[], plan: Plan): number =>
  loads.reduce((sum, load) => sum + loadSeconds(load, plan), 0);

function loadSeconds(load: LoadPlan, plan: Plan): number {
  const { rates, stepSeconds, overload } = plan;
  const known = knownSeconds(rates, stepSeconds);
  if (known !== undefined) return known;
  const steps = listedRates(rates)?.length ?? 1;
  return steps * (warmupSeconds(plan, load) + stepSeconds + longestExecution(load)) + (overload ? OVERLOAD_SECONDS : 0);
}
