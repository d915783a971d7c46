import type { SweepPlan, SweepOutcome } from '../model/sweep.js';
import type { Noise } from '../model/run.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { noiseOf, UNMEASURED_NOISE } from '../judge/noise.js';
import { judgeSteps } from '../judge/run.js';
import type { Plan } from '../model/plan.js';
import { readRun } from '../record/recorder.js';
import type { SweepFolder } from './folder.js';

/**
 * The plan of a run that measures noise: so many clients as are at work when the configuration is at its capacity (Little
 * 1961), for one step.
 * @param capacity of the configuration, in executions per second
 */
export function noisePlan(plan: Plan, capacity: number): Plan {
  if (plan.rates.kind === 'closed') return plan;
  const service = Math.max(...plan.loads.flatMap((load) => Object.values(load.serviceSeconds)));
  const { p50, p95, p99 } = plan.slo;
  const answer = service + (p50 ?? p95 ?? p99 ?? 0);
  return { ...plan, rates: { kind: 'closed', clients: Math.max(1, Math.ceil(capacity * answer)) } };
}

/** The noise that a sweep has measured, from its runs; undefined while it has not, or where it does not. */
export async function readNoise(folder: SweepFolder, outcomes: SweepOutcome[]): Promise<Noise | undefined> {
  const paths = outcomes.filter((o) => o.purpose === 'noise').map((_, i) => folder.noiseRun(i + 1));
  const runs = await Promise.all(paths.filter((path) => existsSync(join(path, 'run.json'))).map(readRun));
  return noiseOf(runs.flatMap(({ run, steps }) => judgeSteps(run.plan, steps).loads.flatMap((load) => load.steps)));
}

/** The fraction within which two rates of a sweep are the same: as measured, else as its plan says. */
export const tieBand = ({ noise: planned }: SweepPlan, measured: Noise | undefined): number =>
  measured?.rate ?? (planned !== undefined && 'band' in planned ? planned.band : UNMEASURED_NOISE);
