import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import type { Plan } from '../../../capacity/src/model/plan.js';
import type { SweepOutcome } from '../../../capacity/src/features/sweep/record.js';
import type { StepRecord } from '../../../capacity/src/model/step.js';
import { translateDimensions, nestValues } from '../../../capacity/src/plan/dimensions.js';
import type { RecordedRun } from '../../../capacity/src/record/recorder.js';
import { buildPlan, buildRunRecord } from './runs.js';
import { buildGoodStep } from './steps.js';
import { buildSweepRecord } from './sweeps.js';

/** Records as lines of JSON. */
export const toJsonLines = (all: unknown[]): string => all.map((one) => `${JSON.stringify(one)}\n`).join('');

/** Writes a run into its folder, as the recorder does. */
export async function writeRun(
  folder: string,
  { run, steps, samples }: Pick<RecordedRun, 'run' | 'steps' | 'samples'>,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'run.json'), JSON.stringify(run));
  await writeFile(join(folder, 'steps.ndjson'), toJsonLines(steps));
  await writeFile(join(folder, 'samples.ndjson'), toJsonLines(samples));
  return folder;
}

/** Writes the records of a sweep into its folder. */
export async function writeSweep(folder: string, sweep: object, outcomes: SweepOutcome[]): Promise<string> {
  await mkdir(join(folder, 'configurations'), { recursive: true });
  await writeFile(join(folder, 'sweep.json'), JSON.stringify(sweep));
  await writeFile(join(folder, 'outcomes.ndjson'), toJsonLines(outcomes));
  return folder;
}

/** The 200 requests of a good step suffice to prove it. */
const SLO = { p95: 0.8, errors: 0.05 };

/** Writes a run with these steps and these values. */
export async function recordRun(
  path: string,
  rates: Plan['rates'],
  steps: StepRecord[],
  given?: object,
): Promise<string> {
  const run = buildRunRecord({
    plan: buildPlan({ rates, slo: SLO, values: { files: given ? ['mine.yaml'] : [], set: [] } }),
  });
  const samples = Array.from({ length: 11 }, (_, i) => ({
    at: 1_000_000 + i * 1000,
    instances: [{ name: 'main-0', rssBytes: 2 ** 30, cpuSeconds: 0.4 * i, processes: 2 }],
  }));
  await writeRun(path, { run, steps, samples });
  if (given) await writeFile(join(path, 'values.given.yaml'), stringify(given));
  return path;
}

/** The dimensions of `recordSweep`. */
export const DIMENSIONS = { cpu: ['1', '2'], memory: ['2Gi', '4Gi'] };
const target = { kind: 'target', rate: 20, headroom: 1 } as const;

/** A configuration's id, the purpose of its run, whether the rate held, and that rate (by default 20/s). */
export type Shown = [string, SweepOutcome['purpose'], boolean, number?];

/** Writes a sweep over configurations with 1 or 2 cores and 2 or 4 GiB, with these runs. */
export async function recordSweep(path: string, runs: Shown[]): Promise<string> {
  const record = buildSweepRecord({
    name: basename(path),
    dimensions: DIMENSIONS,
    target: 20,
    measure: buildPlan({ rates: target, slo: SLO }),
    podsOf: ({ cpu, memory }) => ({
      pods: 1,
      cpuMillis: Number(cpu) * 1000,
      memoryMiB: parseInt(String(memory)) * 1024,
      amounts: { cpu: Number(cpu), memory: parseInt(String(memory)) },
    }),
  });
  const outcomes: SweepOutcome[] = [];
  await writeSweep(path, record, outcomes);
  for (const [id, purpose, holds, rate = 20] of runs) {
    const { values } = record.candidates.find((c) => c.id === id)!;
    const configuration = nestValues(translateDimensions(values, 'regular'));
    const latency = holds ? {} : { latency: { p50: 1, p95: 2, p99: 3, max: 4 } };
    await writeFile(join(path, 'configurations', `${id}.yaml`), stringify(configuration));
    await recordRun(
      join(path, purpose === 'hold' ? 'holds' : 'runs', id),
      { ...target, rate },
      [buildGoodStep({ rate, summary: latency })],
      { executions: { concurrencyLimit: 30 }, ...configuration },
    );
    const verdict = holds ? 'PASS' : 'FAIL';
    const capacity = holds ? rate : 0;
    outcomes.push({ id, purpose, verdict, capacity, conclusion: verdict, loadSeconds: 13, seconds: 30 });
  }
  await writeSweep(path, record, outcomes);
  return path;
}
