import { overloadPhases, takenRate } from '../judge/overload.js';
import { judgeSteps } from '../judge/run.js';
import type { LoadPlan, Plan } from '../model/plan.js';
import type { StepRecord } from '../model/step.js';
import type { PhasedLoad } from './context.js';

/** A client waits for an answer this much longer than the answer takes by design. */
const PATIENCE_SECONDS = 5;
/** Longest time for which a client of k6 waits until its request is due (loadtests/lib/arrivals.js). */
const WAIT_SECONDS = 3;

/**
 * The overload that a load ends with: what the deployment does when more arrives than it takes, and whether it comes back.
 * @param steps of this load
 * @returns its phases, and what the load takes, per second; undefined if the plan asks for none, or no rate held that could be exceeded
 */
export function overloadAfter(
  plan: Plan,
  load: LoadPlan,
  steps: StepRecord[],
): (PhasedLoad & { held: number }) | undefined {
  if (!plan.overload || plan.guard) return undefined;
  const judged = judgeSteps({ ...plan, loads: [load] }, steps).loads[0]!;
  const phases = overloadPhases(plan.rates, judged);
  if (!phases) return undefined;
  const timeoutSeconds = Math.min(
    plan.timeoutSeconds,
    Math.max(...Object.values(load.serviceSeconds)) + PATIENCE_SECONDS,
  );
  const highest = Math.max(...phases.map((phase) => phase.rate));
  return {
    phases,
    held: takenRate(plan.rates, judged)!,
    bounds: { timeoutSeconds, maxVUs: Math.ceil(highest * (timeoutSeconds + WAIT_SECONDS)) },
  };
}
