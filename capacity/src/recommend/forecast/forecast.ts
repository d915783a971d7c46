import { mean } from 'simple-statistics';
import { judgeSteps } from '../../judge/run.js';
import type { LoadPlan } from '../../model/plan.js';
import type { RecordedRun } from '../../record/recorder.js';
import { studentT95 } from '../../stats/linear.js';
import { clusterArrangement, recordedArrangement, withSinglePods } from './arrangement.js';
import { findSmallestArrangement, type Arranged } from './arrange.js';
import { usableSteps } from './observed.js';
import { checkForecasts, type CheckedForecast } from './next-step.js';
import { predictCapacity } from './predict.js';
import { buildProfile, scaleWork, type LoadProfile } from './profile.js';
import { listUnknowns } from './unknowns.js';

/** The forecast for a rate that was not tested. */
export interface Forecast {
  load: LoadPlan;
  /** Executions per second that the arrangement must hold, headroom included. */
  rate: number;
  profile: LoadProfile;
  /** Capacity of the recorded deployment: by the model, and as measured if it was. */
  capacity: { predicted: number; measured?: number };
  arranged: Arranged;
  /** The arrangements if every execution costs less, or more, by the error; undefined if the error is unknown. */
  range?: { least: Arranged; most: Arranged };
  errors: ForecastErrors;
  unknown: string[];
}

/** How far the forecasts of the record's own steps were off. */
export interface ForecastErrors {
  checked: CheckedForecast[];
  /** Fraction of the fitted cost within which the cost of an execution is, at 95 %; undefined if there are too few steps. */
  cost?: number;
  /** `steps`: from the forecasts of steps. `fit`: from the scatter of the fit, if there are too few forecasts. */
  from: 'steps' | 'fit';
}

/** Forecasts of steps that are needed for a better estimate of the error than the fit gives. */
const LEAST_CHECKED = 3;
/** Fraction: the largest error. An interval as wide as the estimate shows only the order of magnitude. */
const MOST_ERROR = 0.9;

/**
 * Forecasts a rate of a load from a recorded run.
 * @returns undefined if the load has fewer than three rates below its limit
 */
export function forecastRate(run: RecordedRun, load: LoadPlan, rate: number): Forecast | undefined {
  const { slo } = run.run.plan;
  const steps = run.steps.filter((s) => s.load === load.name);
  const profile = buildProfile(run.run, load, usableSteps(steps, slo), run.samples);
  if (!profile) return undefined;
  const errors = estimateErrors(profile, checkForecasts(run.run, load, steps, run.samples));
  const start = withSinglePods(clusterArrangement(run.run));
  const of = (factor: number) => findSmallestArrangement(scaleWork(profile, factor), start, rate, slo);
  const arranged = of(1);
  const judged = judgeSteps(run.run.plan, run.steps).loads.find((l) => l.load === load.name)!;
  const capacity = predictCapacity(profile, recordedArrangement(run.run), slo);
  return {
    load,
    rate,
    profile,
    capacity: { predicted: capacity, ...(judged.capacity !== undefined && { measured: judged.capacity }) },
    arranged,
    ...(errors.cost !== undefined && { range: { least: of(1 - errors.cost), most: of(1 + errors.cost) } }),
    errors,
    unknown: listUnknowns(profile, run.run, rate, arranged),
  };
}

/** The errors of the forecast. Only steps that held count: above its limit a deployment works less than the rate asks for. */
function estimateErrors({ costs }: LoadProfile, checked: CheckedForecast[]): ForecastErrors {
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
