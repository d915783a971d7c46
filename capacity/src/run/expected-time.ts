import type { LoadPlan, Plan } from '../model/plan.js';
import { QUICK_PRECISION } from './rates.js';

/** A search takes about as long, as measured with the default workloads. */
const SEARCH_SECONDS = 300;
const QUICK_SEARCH_SECONDS = 180;
/** An overload, and the load of every day after it. */
const OVERLOAD_SECONDS = 60;
/** Until n8n is ready for the load. */
const START_SECONDS = 30;

/**
 * About how long the measurement of a plan takes, installs excluded, in seconds. A step that does not decide is extended, and a
 * search ends early when the first rate fails.
 */
export function expectedSeconds(plan: Plan): number {
  return plan.loads.reduce((sum, load) => sum + secondsOf(load, plan), START_SECONDS);
}

function secondsOf(load: LoadPlan, { rates, stepSeconds, warmupSeconds, overload }: Plan): number {
  const execution = Math.max(...Object.values(load.executionSeconds));
  const step = Math.max(warmupSeconds, execution + 2) + stepSeconds + execution;
  const after = overload ? OVERLOAD_SECONDS : 0;
  switch (rates.kind) {
    case 'search':
      return rates.precision >= QUICK_PRECISION ? QUICK_SEARCH_SECONDS : SEARCH_SECONDS;
    case 'rates':
    case 'confirm':
      return rates.rates.length * step + after;
    case 'payload-limit':
      return rates.concurrency.length * SEARCH_SECONDS;
    default:
      return step + after;
  }
}
