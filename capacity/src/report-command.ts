import { join } from 'node:path';
import { judgeRun, type RunVerdict } from './judge/run.js';
import { readRun, Recorder, type RecordedRun } from './record/recorder.js';
import { renderHtml } from './report/html/page.js';
import type { Recommendation } from './report/html/summary.js';

const REPORT = 'report.html';

/**
 * Judges a recorded run again and writes its report anew.
 * @throws InputError when the folder holds no run
 */
export async function reportCommand(folder: string): Promise<RunVerdict> {
  const run = await readRun(folder);
  const verdict = judgeRun(run.run.plan, run.steps);
  await writeReport(run, verdict);
  return verdict;
}

/** Writes `report.html` into the run's folder, whole or not at all, and returns its path. */
export async function writeReport(
  run: RecordedRun,
  verdict: RunVerdict,
  recommendation?: Recommendation,
): Promise<string> {
  const recorder = await Recorder.create(run.folder);
  await recorder.whole(REPORT, await renderHtml(run, verdict, recommendation));
  return join(run.folder, REPORT);
}
