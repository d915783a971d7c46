import { format } from '../../judge/run.js';
import { phasesOf } from '../../plan/burst.js';
import type { BurstPlan, LoadPlan } from '../../model/plan.js';
import type { StepRecord } from '../../model/record.js';
import type { StepContext } from '../context.js';
import { runStep } from '../step.js';

/** Base load, spike and base load again as one step: what happens at the edges is what a burst is about. */
export function driveBurst(context: StepContext, load: LoadPlan, burst: BurstPlan): Promise<StepRecord> {
  const label = `${load.name} at ${format(burst.base)}/s, then ${format(burst.spike)}/s for ${burst.spikeSeconds} s`;
  return context.progress.during(label, () => runStep(context, load, { phases: phasesOf(burst) }, 0));
}
