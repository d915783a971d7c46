import type { SweepConclusion, SweepOutcome, SweepRecord } from './record.js';
import type { Confidence, Recommendation } from '../../model/verdict.js';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { confidence } from '../../judge/confidence.js';
import { judgeRun } from '../../judge/run.js';
import { confirmCommand } from '../../recommend/confirm-command.js';
import { HELD } from '../../recommend/held.js';
import { settingsFragment } from '../../recommend/values.js';
import { writeWhole } from '../../record/files.js';
import { readRun } from '../../record/recorder.js';
import { renderSweepHtml } from './report/page.js';
import type { SweepRun } from './report/facts.js';
import type { SweepFolder } from './folder.js';
import { sweepSettings } from './values.js';
import { FILES } from '../../record/names.js';

/** Writes the HTML report of a sweep atomically: a reader sees the old or the new one. Throws CannotRecord. */
export async function writeSweepReport(
  folder: SweepFolder,
  record: SweepRecord,
  runs: ReadonlyMap<string, SweepRun>,
  conclusion: SweepConclusion,
): Promise<void> {
  const { cheapest } = conclusion;
  const { target } = record;
  const held = cheapest && target !== undefined && (await heldValues(folder, cheapest.id, target));
  const page = await renderSweepHtml({ record, conclusion, runs }, held || undefined);
  await writeWhole(conclusion.report, page);
}

/** The runs of the measured configurations, by id. */
export async function readRuns(folder: SweepFolder, outcomes: SweepOutcome[]): Promise<ReadonlyMap<string, SweepRun>> {
  const runs = new Map<string, SweepRun>();
  for (const id of new Set(outcomes.map((o) => o.id))) {
    const run = await readSweepRun(folder, id);
    if (run) runs.set(id, run);
  }
  return runs;
}

/** Whether the answer is provisional, from all steps of the sweep; undefined before the first measurement. */
export function confidenceInSweep(runs: ReadonlyMap<string, SweepRun>): Confidence | undefined {
  const [first] = runs.values();
  return (
    first &&
    confidence(
      first.run,
      [...runs.values()].flatMap(({ load }) => load.steps.map((s) => s.step)),
    )
  );
}

/** The run of a configuration without its samples, which are large; undefined if it did not start. */
async function readSweepRun(folder: SweepFolder, id: string): Promise<SweepRun | undefined> {
  const path = folder.runOf(id, 'measure');
  if (!existsSync(join(path, FILES.run))) return undefined;
  const recorded = await readRun(path);
  const [load] = judgeRun(recorded).loads;
  return load && { run: recorded.run, load, report: relative(folder.path, join(path, FILES.report)) };
}

/** The configuration's settings with heap, concurrency and requests, without the shared values: reports are shared. */
async function heldValues(folder: SweepFolder, id: string, target: number): Promise<Recommendation | undefined> {
  const run = await readRun(folder.runOf(id, 'hold'));
  const { settings } = await sweepSettings(folder, id, run, target);
  if (!settings) return undefined;
  return {
    title: 'Values that held',
    text: `The cheapest configuration that met the target, with heap, concurrency and requests filled in; ${HELD} next to this report also holds the values that all configurations share. They are not confirmed: run "${confirmCommand(run.folder)}".`,
    values: settingsFragment(settings),
  };
}
