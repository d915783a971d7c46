import type { SweepConclusion, SweepOutcome, SweepRecord } from '../model/sweep.js';
import type { Confidence, Recommendation } from '../model/verdict.js';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { confidence } from '../judge/confidence.js';
import { judgeSteps } from '../judge/run.js';
import { settingsFragment } from '../recommend/values.js';
import { writeWhole } from '../record/files.js';
import { readRun } from '../record/recorder.js';
import { renderSweepHtml } from '../report/html/sweep/page.js';
import type { SweepRun } from '../report/html/sweep/facts.js';
import type { SweepFolder } from './folder.js';
import { sweepSettings } from './values.js';

/** Writes the HTML report of a sweep, whole: a reader sees the old one or the new one. */
export async function writeSweepReport(
  folder: SweepFolder,
  record: SweepRecord,
  runs: ReadonlyMap<string, SweepRun>,
  conclusion: SweepConclusion,
): Promise<void> {
  const { recommended } = conclusion;
  const { target } = record;
  const recommendation = recommended && target !== undefined && (await recommend(folder, recommended.id, target));
  const page = await renderSweepHtml({ record, conclusion, runs }, recommendation || undefined);
  await writeWhole(conclusion.report, page);
}

/** The runs of the configurations that were measured, by their ids. */
export async function readRuns(folder: SweepFolder, outcomes: SweepOutcome[]): Promise<ReadonlyMap<string, SweepRun>> {
  const runs = new Map<string, SweepRun>();
  for (const id of new Set(outcomes.map((o) => o.id))) {
    const run = await runOf(folder, id);
    if (run) runs.set(id, run);
  }
  return runs;
}

/** How far the answer holds, from all steps of the sweep; undefined while nothing is measured. */
export function confidenceOf(runs: ReadonlyMap<string, SweepRun>): Confidence | undefined {
  const [first] = runs.values();
  return (
    first &&
    confidence(
      first.run,
      [...runs.values()].flatMap(({ load }) => load.steps.map((s) => s.step)),
    )
  );
}

/** Undefined for a configuration that did not come up: it has no run. Samples, which are large, are not kept. */
async function runOf(folder: SweepFolder, id: string): Promise<SweepRun | undefined> {
  const path = folder.runOf(id, 'measure');
  if (!existsSync(join(path, 'run.json'))) return undefined;
  const { run, steps } = await readRun(path);
  const [load] = judgeSteps(run.plan, steps).loads;
  return load && { run, load, report: relative(folder.path, join(path, 'report.html')) };
}

/** What the configuration sets, with heap, concurrency and requests filled in; what all share stays out of it, since a report is passed around. */
async function recommend(folder: SweepFolder, id: string, target: number): Promise<Recommendation> {
  const run = await readRun(folder.runOf(id, 'soak'));
  return {
    title: 'Recommended values',
    text: 'The cheapest configuration that met the target, with heap, concurrency and requests filled in; values.recommended.yaml beside this report holds them with the values that all configurations share.',
    values: settingsFragment(await sweepSettings(folder, id, run, target)),
  };
}
