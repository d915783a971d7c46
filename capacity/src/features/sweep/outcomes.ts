import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MeasuredCandidate } from './judge/explore.js';
import { computeNoise, UNMEASURED_NOISE } from './judge/noise.js';
import { judgeSteps } from '../../judge/run.js';
import type { Noise } from '../../model/run.js';
import type { SweepOutcome, SweepPlan } from './record.js';
import { readRun } from '../../record/recorder.js';
import type { SweepFolder } from './folder.js';
import { FILES } from '../../record/names.js';

/**
 * The measured candidates: the last outcome of each, so that a failed hold overrides the step before it. A rate held by a run
 * that failed or was not fully judged does not count as a capacity.
 */
export function measuredCandidates(outcomes: SweepOutcome[]): MeasuredCandidate[] {
  const last = new Map(outcomes.filter((o) => o.purpose !== 'noise').map((o) => [o.id, o]));
  return [...last.values()].map(({ id, capacity, verdict, loadSeconds, challenge }) => ({
    id,
    capacity: verdict === 'PASS' ? capacity : 0,
    ...(verdict === 'PASS' && capacity > 0 && { most: capacity }),
    ...(verdict === 'FAIL' && loadSeconds > 0 && challenge !== undefined && { most: challenge }),
    // More pods that did not start say nothing of fewer.
    ...(verdict !== 'INCONCLUSIVE' && loadSeconds > 0 && { meets: verdict === 'PASS' }),
  }));
}

/** The noise that a sweep measured, from its runs; undefined if it has not yet, or does not measure it. */
export async function readNoise(folder: SweepFolder, outcomes: SweepOutcome[]): Promise<Noise | undefined> {
  const paths = outcomes.filter((o) => o.purpose === 'noise').map((_, i) => folder.noiseRun(i + 1));
  const runs = await Promise.all(paths.filter((path) => existsSync(join(path, FILES.run))).map(readRun));
  return computeNoise(
    runs.flatMap(({ run, steps }) => judgeSteps(run.plan, steps).loads.flatMap((load) => load.steps)),
  );
}

/** The fraction within which two rates of a sweep are equal: as measured, else as planned, else the default. */
export const tieBand = ({ noise: planned }: SweepPlan, measured: Noise | undefined): number =>
  measured?.rate ?? (planned !== undefined && 'band' in planned ? planned.band : UNMEASURED_NOISE);
