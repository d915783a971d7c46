import { sum } from 'simple-statistics';
import { judgeStep } from '../../judge/step.js';
import { collectTries } from '../../judge/tried.js';
import type { LoadPlan } from '../../model/plan.js';
import type { RunRecord } from '../../model/run.js';
import type { Sample } from '../../model/sample.js';
import type { StepForecast, StepRecord } from '../../model/step.js';
import { recordedArrangement, type Deployed } from './arrangement.js';
import { usableSteps, observeStep } from './observed.js';
import { predictRate } from './predict.js';
import { buildProfile } from './profile.js';

/** Different rates that a point on a line needs. The line's interval, which needs more, is not used here. */
const LEAST_RATES = 2;

type Run = Deployed & Pick<RunRecord, 'plan'>;

/**
 * Forecasts the next step of a load from its steps so far; undefined if they do not suffice.
 * @param steps of this load, in the order in which they ran
 */
export function forecastStep(
  run: Run,
  load: LoadPlan,
  steps: StepRecord[],
  samples: Sample[],
  rate: number,
): StepForecast | undefined {
  const profile = buildProfile(run, load, usableSteps(steps, run.plan.slo), samples, LEAST_RATES);
  if (!profile) return undefined;
  const { holds, cores, latency } = predictRate(profile, recordedArrangement(run), rate, run.plan.slo);
  return { holds, cores, ...(latency && { p95: latency.p95 }) };
}

/** A forecast of a step, and the step's outcome. */
export interface CheckedForecast {
  step: StepRecord;
  forecast: StepForecast;
  /** Whether the step met the objectives, chance aside; undefined if it was disturbed. */
  held?: boolean;
  /** Cores of all pods together; undefined if they were not recorded. */
  cores?: number;
}

/** Compares the steps of a load with their forecasts. A forecast that is not in the record is made now, from the earlier steps. */
export function checkForecasts(run: Run, load: LoadPlan, steps: StepRecord[], samples: Sample[]): CheckedForecast[] {
  return steps.flatMap((step, i): CheckedForecast[] => {
    if (step.rate === undefined) return [];
    const forecast = step.forecast ?? forecastStep(run, load, steps.slice(0, i), samples, step.rate);
    if (!forecast) return [];
    const [tried] = collectTries([{ step, judged: judgeStep(step, run.plan.slo) }], run.plan);
    const seen = observeStep(step, run.deployment, samples);
    const complete = seen && seen.components.size === new Set(run.deployment.instances.map((n) => n.component)).size;
    return [
      {
        step,
        forecast,
        ...(tried && { held: tried.sustained }),
        ...(complete && { cores: sum([...seen.components.values()].map((c) => c.cores)) }),
      },
    ];
  });
}
