import { perSecond } from '../core/formats.js';
import type { Progress } from '../core/progress.js';
import type { TrialRecord, TuneRecord } from '../model/tune.js';
import type { Where } from '../provision/choose.js';
import { mergedValues } from '../recommend/values.js';
import { ensureHelm } from '../tools/go-tools.js';
import { generatorHere, measureTrial, type Measuring } from '../trial/measure.js';
import { TuneFolder } from './folder.js';
import { judgeTune } from './judge.js';
import { tuneRecord, withChanges, type Deploying, type TuneRequest } from './prepare.js';
import { openConfirmation, openScreening, trialSeconds, type Planned } from './schedule.js';
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
  const context: Context = {
    ...deploying,
    record,
    trials,
    tool: record.tool,
    ...(await generatorHere(where, progress)),
  };
  const { changes } = record;
  const left = openScreening(record, trials).length;
  progress.line(`${changes.length} changes; ${left} fresh deployments of about ${trialSeconds(plan)} s to screen them`);
  await measureAll(context, () => openScreening(record, trials));
  const { chosen } = judgeTune(record, trials);
  const together = changes.filter(({ id }) => chosen.includes(id));
  if (together.length > 0) progress.line(`more throughput, now together against the baseline: ${chosen.join(', ')}`);
  await measureAll(context, () => openConfirmation(together, trials));
}

interface Context extends Deploying, Measuring {
  folder: TuneFolder;
  record: TuneRecord;
  /** Those that are measured; grows. */
  trials: TrialRecord[];
}

/** Measures what is left of a stage, which what was measured may change. */
async function measureAll(context: Context, open: () => Planned[]): Promise<void> {
  const { trials, folder, progress } = context;
  for (let [next, ...others] = open(); next; [next, ...others] = open()) {
    const trial = await measure(context, next);
    trials.push(trial);
    await folder.trial(trial);
    const { stage, changes } = next;
    const what = changes.length === 0 ? 'baseline' : stage === 'confirmation' ? 'tuned' : `${changes.length} changes`;
    const figures = trial.perSecond === undefined ? (trial.failed ?? trial.disturbed) : perSecond(trial.perSecond);
    progress.line(`${what}: ${figures}${others.length > 0 ? `; ${others.length} left` : ''}`);
  }
}

async function measure(context: Context, { stage, row, changes }: Planned): Promise<TrialRecord> {
  const { plan, given, folder, trials } = context;
  const index = trials.length;
  const measured = await measureTrial(context, index, async () =>
    withChanges(plan, await folder.values(String(index + 1).padStart(2, '0'), trialValues(changes, given)), changes),
  );
  return { index, stage, row, changes: changes.map(({ id }) => id), ...measured };
}
