import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { Interrupted, messageOf } from '../../capacity/src/core/errors.js';
import { EXIT_CODES } from '../../capacity/src/core/exit-codes.js';
import { judgeRun } from '../../capacity/src/judge/run.js';
import { recordedArrangement } from '../../capacity/src/recommend/forecast/arrangement.js';
import { usableSteps } from '../../capacity/src/recommend/forecast/observed.js';
import { predictRate, predictCapacity } from '../../capacity/src/recommend/forecast/predict.js';
import { buildProfile } from '../../capacity/src/recommend/forecast/profile.js';
import { readRun } from '../../capacity/src/record/recorder.js';

export const MODES = ['regular', 'queue'] as const;
export type Mode = (typeof MODES)[number];

/** A forecast and the measured capacity, in executions per second; or the reason why one is missing. */
export interface ForecastCheck {
  workload: string;
  mode: Mode;
  /** Day on which it was measured, as 2026-11-30. */
  on: string;
  result:
    | {
        /** Highest rate that held. */
        held: number;
        /** Lowest rate that did not hold. */
        broken?: number;
        forecast: number;
        /** Relative error of the forecast, compared with the geometric mean of the two rates. */
        error: number;
        /** The first resource to saturate according to the forecast, as `worker thread`. */
        limit: string;
      }
    | { unknown: string };
}

/** Rates of the steps that the forecast is fitted on, as shares of the measured capacity. */
const STEP_SHARES = [0.1, 0.2, 0.3, 0.4, 0.5];
/** Rates of earlier steps that the forecast is not fitted on, because code that has rarely run is slow. */
const WARM_UP_SHARES = [0.5, 0.5];
/** Requests that the slowest step must have. */
const MIN_STEP_REQUESTS = 30;
/** Seconds that a step takes at least. */
const MIN_STEP_SECONDS = 20;
const VALUES: Record<Mode, string[]> = { regular: [], queue: ['-f', 'charts/n8n-tuned/profiles/queue.yaml'] };
/**
 * Parameters of workloads that differ from the default. event-loop-block blocks n8n for 500 ms by default; n8n then sustains less
 * than the lowest rate of a search, 2/s.
 */
const QUERY: Partial<Record<string, string[]>> = { 'event-loop-block': ['--query', 'ms=50'] };

/**
 * Compares the forecast with the measured capacity of a workload. Measures only runs that are not recorded yet.
 * @throws Interrupted when a measurement was interrupted
 */
export async function checkForecast(root: string, workload: string, mode: Mode): Promise<ForecastCheck> {
  const folder = join(root, 'results', 'bench-forecast', `${mode}-${workload}`);
  const validate = (name: string, args: string[]) =>
    runValidate(root, join(folder, name), [
      '--workload',
      workload,
      ...(QUERY[workload] ?? []),
      ...VALUES[mode],
      ...args,
    ]);
  const today = new Date().toISOString().slice(0, 10);
  const unknown = (why: string): ForecastCheck => ({ workload, mode, on: today, result: { unknown: why } });
  try {
    const { held, broken, conclusion } = await readCapacity(await validate('capacity', ['--no-overload']));
    if (held === undefined) {
      // Usually the search was disturbed; the next run of the bench measures it again.
      rmSync(join(folder, 'capacity'), { recursive: true });
      return unknown(`no capacity was measured: ${conclusion.split(': ')[0]}`);
    }
    const rates = [...WARM_UP_SHARES, ...STEP_SHARES]
      .map((share) => `${Number((share * held).toPrecision(3))}/s`)
      .join(',');
    const seconds = Math.max(MIN_STEP_SECONDS, Math.ceil(MIN_STEP_REQUESTS / (STEP_SHARES[0]! * held)));
    const steps = await validate('steps', ['--no-overload', '--rates', rates, '--step-duration', `${seconds}s`]);
    const { run, steps: below, samples } = await readRun(steps);
    const telling = usableSteps(below.slice(WARM_UP_SHARES.length), run.plan.slo);
    const profile = buildProfile(run, run.plan.loads[0]!, telling, samples);
    if (!profile) return unknown('fewer than three of the steps up to half of the capacity can be used');
    const arrangement = recordedArrangement(run);
    const forecast = predictCapacity(profile, arrangement, run.plan.slo);
    const [fullest] = predictRate(profile, arrangement, forecast, run.plan.slo).shares;
    const middle = Math.sqrt(held * (broken ?? held));
    const limit = `${fullest?.component ?? ''} ${fullest?.resource ?? ''}`.trim();
    return {
      workload,
      mode,
      on: run.startedAt.slice(0, 10),
      result: { held, ...(broken !== undefined && { broken }), forecast, error: forecast / middle - 1, limit },
    };
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return unknown(messageOf(error).split('\n')[0]!);
  }
}

/** The result of a recorded search. */
async function readCapacity(folder: string) {
  const { capacity: held, broken, conclusion } = judgeRun(await readRun(folder)).loads[0]!;
  return { held, broken, conclusion };
}

/**
 * Runs `n8n-capacity validate` unless its record is complete; an incomplete record is removed.
 * @throws Interrupted when the run was interrupted
 */
async function runValidate(root: string, folder: string, args: string[]): Promise<string> {
  if (existsSync(join(folder, 'verdict.json'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  const command = join(root, 'capacity/bin/n8n-capacity.js');
  // The exit codes 0 to 2 are verdicts; 3 means that the tool or its input failed.
  const { exitCode, stderr } = await execa('node', [command, 'validate', ...args, '-o', folder, '--quiet'], {
    cwd: root,
    reject: false,
    stdin: 'ignore',
    stdout: 'ignore',
  });
  if (exitCode === EXIT_CODES.interrupted)
    throw new Interrupted(`interrupted; run the command again to measure ${folder}`);
  if (exitCode === undefined || exitCode > 2)
    throw new Error(stderr.trim().split('\n').at(-1) ?? `exit code ${exitCode}`);
  return folder;
}
