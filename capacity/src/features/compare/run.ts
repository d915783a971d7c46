import type { StepRecord } from '../../model/step.js';
import { worst, type RunVerdict } from '../../model/verdict.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readGivenValues } from '../../recommend/values.js';
import { compareRuns, outcomeOfRun, underOtherSlos, type CompareConclusion } from './judge/compare.js';
import { commonStep, type Answers } from './judge/compare-latency.js';
import { differences, machineWarnings } from './judge/differences.js';
import type { Records } from '../../judge/profile.js';
import { verdictOfDrift } from '../../judge/profiles/soak.js';
import { judgeRun } from '../../judge/run.js';
import { readSamples } from '../../load/samples.js';
import { readRun, type RecordedRun } from '../../record/recorder.js';
import type { CompareReport } from './report/page.js';

/**
 * Compares two recorded runs; runs and writes nothing.
 * @param asked noise between runs of the same deployment, as a fraction; without it the larger one of the two records
 * @throws UsageError when a folder holds no run
 */
export async function compareFolders(a: string, b: string, asked?: number): Promise<CompareReport> {
  const [runA, runB] = [await readRun(a), await readRun(b)];
  const [judgedA, judgedB] = [judgeWholeRun(runA), judgeWholeRun(runB)];
  const answers = await readCommonOverheads([runA, judgedA], [runB, judgedB]);
  const noise =
    asked === undefined ? largerRecordedNoise([runA, runB]) : { ...sameNoise(asked), source: 'asked' as const };
  const compared = compareRuns(judgedA, judgedB, { noise: noise.rate, latencyNoise: noise.latency, answers });
  const isSameSlo = isDeepStrictEqual(runA.run.plan.slo, runB.run.plan.slo);
  const comparison = isSameSlo ? compared : underOtherSlos(compared);
  const outcome = outcomeOfRun(comparison);
  const [valuesA, valuesB] = [await readGivenValues(a), await readGivenValues(b)];
  const conclusion = {
    ...{ a, b, noise },
    ...(outcome && { outcome }),
    ...comparison,
    differences: differences({ run: runA.run, values: valuesA }, { run: runB.run, values: valuesB }),
    warnings: machineWarnings(runA.run, runB.run),
  };
  return { conclusion, verdicts: [judgedA, judgedB], slo: runA.run.plan.slo };
}

/** Judges a run and adds findings of the whole run, such as the drift of a soak, to each load. */
export function judgeWholeRun(records: Records): RunVerdict {
  const whole = judgeRun(records);
  const verdict = worst(whole.loads.map((load) => load.verdict));
  const drifts = whole.soak?.drifts ?? [];
  if (drifts.length === 0 || worst([verdict, whole.verdict]) === verdict) return whole;
  const why = drifts.filter((d) => verdictOfDrift(d.verdict) === whole.verdict).map((d) => d.text);
  const loads = whole.loads.map((load) => ({
    ...load,
    verdict: whole.verdict,
    conclusion: why.join('; '),
    ...(whole.verdict === 'FAIL' && { failsAtAnyRate: true as const }),
  }));
  return { ...whole, loads };
}

const sameNoise = (noise: number) => ({ rate: noise, latency: noise });

/** The larger noise of the two records. */
function largerRecordedNoise(runs: RecordedRun[]): CompareConclusion['noise'] {
  const measured = runs.flatMap(({ run }) => run.machine.noise ?? []);
  if (measured.length === 0) return { source: 'unmeasured' };
  const latencies = measured.flatMap((m) => m.latency ?? []);
  return {
    rate: Math.max(...measured.map((m) => m.rate)),
    ...(latencies.length > 0 && { latency: Math.max(...latencies) }),
    source: 'measured',
  };
}

type Judged = [RecordedRun, RunVerdict];

/** Overheads in the steps whose latencies are compared. Only loads for which both runs still have k6's samples are included. */
async function readCommonOverheads([runA, a]: Judged, [runB, b]: Judged): Promise<Answers> {
  const answers = new Map<StepRecord, number[][]>();
  for (const loadA of a.loads) {
    const loadB = b.loads.find((l) => l.load === loadA.load);
    const pair = loadB && commonStep(loadA, loadB);
    if (!pair) continue;
    const files = pair.map((step, i) => join((i === 0 ? runA : runB).folder, step.k6.samples));
    if (!files.every(existsSync)) continue;
    answers.set(pair[0], await readOverheadsBySecond(files[0]!, pair[0], runA));
    answers.set(pair[1], await readOverheadsBySecond(files[1]!, pair[1], runB));
  }
  return answers;
}

/** Overhead of each correct answer of a step in seconds, a list for each second in which requests were sent. */
async function readOverheadsBySecond(file: string, step: StepRecord, { run }: RecordedRun): Promise<number[][]> {
  const { measuredFrom, measuredTo, load } = step;
  const service = run.plan.loads.find((l) => l.name === load)?.serviceSeconds ?? {};
  const seconds = Array.from({ length: Math.ceil((measuredTo - measuredFrom) / 1000) }, (): number[] => []);
  for (const { correct, sentAt, endedAt, workload } of (await readSamples(file)).measured) {
    if (!correct) continue;
    const second = Math.max(0, Math.floor((sentAt - measuredFrom) / 1000));
    seconds[second]?.push(Math.max(0, (endedAt - sentAt) / 1000 - (service[workload] ?? 0)));
  }
  return seconds;
}
