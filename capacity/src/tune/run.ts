import { ChartRefused, NotReady } from '../core/errors.js';
import { perSecond } from '../core/formats.js';
import type { Progress } from '../core/progress.js';
import { withLimit } from '../load/generator-limit.js';
import { localK6 } from '../load/k6.js';
import type { Generator } from '../model/generator.js';
import type { Change, TrialRecord, TuneRecord } from '../model/tune.js';
import type { Where } from '../provision/choose.js';
import { mergedValues } from '../recommend/values.js';
import { readRun } from '../record/recorder.js';
import { record as recordRun } from '../run/run.js';
import { ensureHelm, ensureK6 } from '../tools/go-tools.js';
import { TuneFolder } from './folder.js';
import { judgeTune } from './judge.js';
import { firstLine, tuneRecord, withFile, type Deploying, type TuneRequest } from './prepare.js';
import { openConfirmation, openScreening, trialSeconds, type Planned } from './schedule.js';
import { figuresOf, type Figures } from './trial.js';
import { trialValues } from './trial-values.js';

/**
 * Measures what settings are worth: fresh deployments with about half of the changes each, then the better ones together
 * against the baseline. Trials that the folder holds are not measured again. Leaves nothing running.
 * @throws UsageError before anything starts if it cannot run, Interrupted if the user ended it
 */
export async function tune(request: TuneRequest, path: string, where: Where, progress: Progress): Promise<void> {
  const folder = new TuneFolder(path);
  const given = await mergedValues(await ensureHelm(progress), request.plan.values);
  // As one file, so that no assignment of the user wins over a trial's values.
  const plan = { ...request.plan, values: { files: [await folder.giveValues(given)], set: [] } };
  const deploying: Deploying = { plan, given, folder, where, progress };
  const record = await progress
    .during('reading which settings can be tried', () => tuneRecord(request, deploying))
    .catch(async (error: unknown) => {
      await folder.takeBack();
      throw error;
    });
  const trials = await folder.begin(record);
  const k6 = where.k6Here ? await localK6(await ensureK6(progress)) : undefined;
  const generator = k6 && (await withLimit(k6, progress));
  const context: Context = { ...deploying, record, trials, ...(generator && { generator }) };
  const { changes } = record;
  const left = openScreening(record, trials).length;
  progress.line(`${changes.length} changes; ${left} fresh deployments of about ${trialSeconds(plan)} s to screen them`);
  await measureAll(context, () => openScreening(record, trials));
  const { chosen } = judgeTune(record, trials);
  const together = changes.filter(({ id }) => chosen.includes(id));
  if (together.length > 0) progress.line(`more throughput, now together against the baseline: ${chosen.join(', ')}`);
  await measureAll(context, () => openConfirmation(together, trials));
}

interface Context extends Deploying {
  record: TuneRecord;
  /** Those that are measured; grows. */
  trials: TrialRecord[];
  generator?: Generator;
}

/** Measures what is left of a stage, which what was measured may change. */
async function measureAll(context: Context, open: () => Planned[]): Promise<void> {
  const { trials, folder, progress } = context;
  for (let [next, ...others] = open(); next; [next, ...others] = open()) {
    const trial = await measureTrial(context, next);
    trials.push(trial);
    await folder.trial(trial);
    const { stage, changes } = next;
    const what = changes.length === 0 ? 'baseline' : stage === 'confirmation' ? 'tuned' : `${changes.length} changes`;
    const figures = trial.perSecond === undefined ? (trial.failed ?? trial.disturbed) : perSecond(trial.perSecond);
    progress.line(`${what}: ${figures}${others.length > 0 ? `; ${others.length} left` : ''}`);
  }
}

async function measureTrial(context: Context, { stage, row, changes }: Planned): Promise<TrialRecord> {
  const { progress, trials } = context;
  const index = trials.length;
  const started = Date.now();
  const figures = await deployAndLoad(context, index, changes).catch((error: unknown): Figures => {
    progress.signal.throwIfAborted();
    if (error instanceof ChartRefused) return { failed: firstLine(error) };
    if (error instanceof NotReady) return { failed: `${error.instance} ${error.reason}` };
    throw error;
  });
  const tookSeconds = Math.round((Date.now() - started) / 1000);
  return { index, stage, row, changes: changes.map(({ id }) => id), tookSeconds, ...figures };
}

/** A trial that something else disturbed is measured once more. */
async function deployAndLoad(context: Context, index: number, changes: Change[]): Promise<Figures> {
  const figures = await measured(context, index, changes);
  if (figures.disturbed === undefined) return figures;
  context.progress.line(`  measured again: ${figures.disturbed}`);
  return measured(context, index, changes);
}

async function measured(
  { record, plan, given, folder, where, generator, progress }: Context,
  index: number,
  changes: Change[],
): Promise<Figures> {
  const run = folder.runOf(index);
  await folder.clear(index);
  const values = await folder.values(String(index + 1).padStart(2, '0'), trialValues(changes, given));
  const whole = withFile(plan, values);
  const prepared = await where.provisioner.prepare(whole, progress);
  await recordRun({
    tool: record.tool,
    plan: whole,
    prepared,
    folder: run,
    // One line for each trial is enough.
    progress: { ...progress, line: () => {} },
    ...(generator && { generator }),
  });
  return figuresOf(await readRun(run));
}
