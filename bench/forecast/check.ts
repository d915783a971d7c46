import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { Interrupted, messageOf } from '../../capacity/src/core/errors.js';
import { EXIT } from '../../capacity/src/core/exit-codes.js';
import { judgeRun } from '../../capacity/src/judge/run.js';
import { recordedArrangement } from '../../capacity/src/recommend/forecast/arrangement.js';
import { tellingSteps } from '../../capacity/src/recommend/forecast/observed.js';
import { predict, predictedCapacity } from '../../capacity/src/recommend/forecast/predict.js';
import { profileOf } from '../../capacity/src/recommend/forecast/profile.js';
import { readRun } from '../../capacity/src/record/recorder.js';

export const MODES = ['regular', 'queue'] as const;
export type Mode = (typeof MODES)[number];

/** A forecast and what was measured, in executions per second; or why there is none. */
export interface Checked {
  workload: string;
  mode: Mode;
  /** Day on which it was measured, as 2026-11-30. */
  on: string;
  result:
    | {
        /** Highest rate that held, and lowest that broke. */
        held: number;
        broken?: number;
        forecast: number;
        /** Of the forecast, against the middle of the two. */
        error: number;
        /** The resource that would be full first, as `worker thread`. */
        limit: string;
      }
    | { unknown: string };
}

/** Rates that the forecast is fitted on, as shares of the measured capacity … */
const SHARES = [0.1, 0.2, 0.3, 0.4, 0.5];
/** … after steps that it is not fitted on: code that has run little is slow. */
const WARM = [0.5, 0.5];
/** Requests of the shortest step, and its length in seconds. */
const REQUESTS = 30;
const LEAST_SECONDS = 20;
const VALUES: Record<Mode, string[]> = { regular: [], queue: ['-f', 'charts/n8n-tuned/profiles/queue.yaml'] };
/** n8n takes less than the lowest rate of a search, 2/s, of executions that block it for 500 ms, the default. */
const QUERY: Partial<Record<string, string[]>> = { 'event-loop-block': ['--query', 'ms=50'] };

/** Measures what is not recorded yet, and compares. Throws Interrupted if something ended a measurement. */
export async function checkForecast(root: string, workload: string, mode: Mode): Promise<Checked> {
  const folder = join(root, 'results', 'bench-forecast', `${mode}-${workload}`);
  const validate = (name: string, args: string[]) =>
    measured(root, join(folder, name), ['--workload', workload, ...(QUERY[workload] ?? []), ...VALUES[mode], ...args]);
  const today = new Date().toISOString().slice(0, 10);
  const unknown = (why: string): Checked => ({ workload, mode, on: today, result: { unknown: why } });
  try {
    const { held, broken, conclusion } = await capacityIn(await validate('capacity', ['--no-overload']));
    if (held === undefined) {
      // Mostly a disturbed search: the next bench is to measure it again.
      rmSync(join(folder, 'capacity'), { recursive: true });
      return unknown(`no capacity was measured: ${conclusion.split(': ')[0]}`);
    }
    const rates = [...WARM, ...SHARES].map((share) => `${Number((share * held).toPrecision(3))}/s`).join(',');
    const seconds = Math.max(LEAST_SECONDS, Math.ceil(REQUESTS / (SHARES[0]! * held)));
    const steps = await validate('steps', ['--no-overload', '--rates', rates, '--step-duration', `${seconds}s`]);
    const { run, steps: below, samples } = await readRun(steps);
    const telling = tellingSteps(below.slice(WARM.length), run.plan.slo);
    const profile = profileOf(run, run.plan.loads[0]!, telling, samples);
    if (!profile) return unknown('fewer than three of the steps up to half of the capacity can be used');
    const arrangement = recordedArrangement(run);
    const forecast = predictedCapacity(profile, arrangement, run.plan.slo);
    const [fullest] = predict(profile, arrangement, forecast, run.plan.slo).shares;
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

/** What a search found. */
async function capacityIn(folder: string) {
  const { capacity: held, broken, conclusion } = judgeRun(await readRun(folder)).loads[0]!;
  return { held, broken, conclusion };
}

/** Runs `n8n-capacity validate` unless its record is complete; a part of a run is removed. */
async function measured(root: string, folder: string, args: string[]): Promise<string> {
  if (existsSync(join(folder, 'verdict.json'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  const command = join(root, 'capacity/bin/n8n-capacity.js');
  // 0 to 2 are verdicts; 3 is a tool or an input that failed.
  const { exitCode, stderr } = await execa('node', [command, 'validate', ...args, '-o', folder, '--quiet'], {
    cwd: root,
    reject: false,
    stdin: 'ignore',
    stdout: 'ignore',
  });
  if (exitCode === EXIT.interrupted) throw new Interrupted(`interrupted; ${folder} is measured again the next time`);
  if (exitCode === undefined || exitCode > 2)
    throw new Error(stderr.trim().split('\n').at(-1) ?? `exit code ${exitCode}`);
  return folder;
}
