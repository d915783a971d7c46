import type { Kind, LoadPlan, RatesOf } from '../model/plan.js';
import type { StepRecord } from '../model/step.js';
import type { StepAt, StepContext } from './context.js';

/** Drives the steps of one load. */
export interface Driver {
  context: StepContext;
  load: LoadPlan;
  /** The steps of the loads before this one. */
  earlier: readonly StepRecord[];
  /**
   * Runs a step, or takes it from the record of a run that was interrupted, and prints it.
   * @param seconds length of the measured part; the plan's where not given
   */
  take: (at: StepAt, seconds?: number) => Promise<StepRecord>;
}

/** How runs of one kind are driven; one file in `profiles/` each. */
export interface DriveProfile<K extends Kind> {
  /** Steps of the load, one after another. */
  drive(driver: Driver, rates: RatesOf<K>): Promise<void>;
  /** A search ends a step when something has died: more load would tell nothing more. */
  stopsAtDeath?: true;
  /** A search ends a hold that can no longer succeed: what follows would tell nothing more (judge/decided.ts). */
  endsOnceDecided?: true;
  /** When the user ends the run, the step is cut and judged as far as it went. */
  judgesCutStep?: true;
}
