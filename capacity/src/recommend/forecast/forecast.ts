import { mean } from 'simple-statistics';
import { judgeSteps } from '../../judge/run.js';
import type { LoadPlan } from '../../model/plan.js';
import type { RecordedRun } from '../../record/recorder.js';
import { studentT95 } from '../../stats/linear.js';
import { onCluster, recordedArrangement, smallest } from './arrangement.js';
import { arrange, type Arranged } from './arrange.js';
import { tellingSteps } from './observed.js';
import { checkForecasts, type CheckedForecast } from './next-step.js';
import { predictedCapacity } from './predict.js';
import { profileOf, scaled, type LoadProfile } from './profile.js';
import { unknowns } from './unknowns.js';

/** What a record says of a rate that was not driven. */
export interface Forecast {
  load: LoadPlan;
  /** Executions per second that the arrangement is to hold, headroom included. */
  rate: number;
  profile: LoadProfile;
  /** What the recorded deployment itself takes, by the model, and as it was measured where it was. */
  capacity: { predicted: number; measured?: number };
  arranged: Arranged;
  /** The same if every execution costs as much less and more as the errors say; undefined without errors to tell. */
  range?: { least: Arranged; most: Arranged };
  errors: ForecastErrors;
  unknown: string[];
}

/** How far the forecasts of the record's own steps were off. */
export interface ForecastErrors {
  checked: CheckedForecast[];
  /** At 95 %, the cost of an execution is within this fraction of the fitted one; undefined if too few steps tell. */
  cost?: number;
  /** `steps`: from the forecasts of steps. `fit`: from the scatter of the fit, where those are too few. */
  from: 'steps' | 'fit';
}

/** So many forecasts tell more than the fit does. */
const LEAST_CHECKED = 3;
/** An interval as wide as the estimate tells only the order of magnitude. */
const MOST_ERROR = 0.9;

/** @returns undefined if the load has fewer than three rates below its limit */
export function forecast(run: RecordedRun, load: LoadPlan, rate: number): Forecast | undefined {
  const { slo } = run.run.plan;
  const steps = run.steps.filter((s) => s.load === load.name);
  const profile = profileOf(run.run, load, tellingSteps(steps, slo), run.samples);
  if (!profile) return undefined;
  const errors = errorsOf(profile, checkForecasts(run.run, load, steps, run.samples));
  const start = smallest(onCluster(run.run));
  const of = (factor: number) => arrange(scaled(profile, factor), start, rate, slo);
  const arranged = of(1);
  const judged = judgeSteps(run.run.plan, run.steps).loads.find((l) => l.load === load.name)!;
  const capacity = predictedCapacity(profile, recordedArrangement(run.run), slo);
  return {
    load,
    rate,
    profile,
    capacity: { predicted: capacity, ...(judged.capacity !== undefined && { measured: judged.capacity }) },
    arranged,
    ...(errors.cost !== undefined && { range: { least: of(1 - errors.cost), most: of(1 + errors.cost) } }),
    errors,
    unknown: unknowns(profile, run.run, rate, arranged),
  };
}

/** Only steps that held tell the cost: above the limit a deployment works less than the rate asks for. */
function errorsOf({ costs }: LoadProfile, checked: CheckedForecast[]): ForecastErrors {
  const logs = checked.flatMap(({ forecast, held, cores }) =>
    held && cores !== undefined && cores > 0 ? [Math.log(cores / forecast.cores)] : [],
  );
  const limited = (error: number) => Math.min(MOST_ERROR, error);
  if (logs.length >= LEAST_CHECKED) {
    const cost = studentT95(logs.length) * Math.sqrt(mean(logs.map((l) => l ** 2)));
    return { checked, cost: limited(Math.expm1(cost)), from: 'steps' };
  }
  const lines = [...costs.components.values()].map((c) => c.cpu).sort((a, b) => b.slope - a.slope);
  const [largest] = lines;
  const known = largest?.slopeError !== undefined && largest.slope > 0;
  return { checked, ...(known && { cost: limited(largest.slopeError! / largest.slope) }), from: 'fit' };
}
