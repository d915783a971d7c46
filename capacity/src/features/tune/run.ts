import { formatSeconds, formatPercent, formatRate } from '../../core/formats.js';
import type { Progress } from '../../core/progress.js';
import { changeText, type Change, type TrialRecord, type TuneRecord } from './record.js';
import type { Where } from '../../provision/choose.js';
import { mergedValues } from '../../chart/merged-values.js';
import { ensureHelm } from '../../tools/programs.js';
import { planAtRate } from '../trial/latency.js';
import { trialsLeftText, measureTrial, type Measuring } from '../trial/measure.js';
import { generatorHere } from '../../run/generator-here.js';
import { trialSeconds } from './budget.js';
import { TuneFolder } from './folder.js';
import { judgeTune, trialsLeftToScreen, smallestConfirmableGain } from './judge.js';
import { prepareTuneRecord, withChanges, type Deploying, type TuneRequest } from './prepare.js';
import { openConfirmation, openLatency, type PlannedTrial } from './schedule.js';
import { trialValues } from './trial-values.js';

/**
 * Measures the effect of settings. First, fresh deployments with about half of the changes each. Then the better changes
 * together against the baseline. If there is time, the latency of both at the same arrival rate. Trials that the folder holds
 * are not measured again, unless they were disturbed. Leaves nothing running.
 * @throws UsageError before anything starts if it cannot run, Interrupted if the user ended it
 */
export async function tune(request: TuneRequest, path: string, where: Where, progress: Progress): Promise<void> {
  const folder = new TuneFolder(path);
  const given = await mergedValues(await ensureHelm(progress), request.plan.values);
  // As one file, so that no assignment of the user wins over a trial's values.
  const plan = { ...request.plan, values: { files: [await folder.giveValues(given)], set: [] } };
  const deploying: Deploying = { plan, given, folder, where, progress };
  const record = await progress
    .during('reading which settings can be tried', () => prepareTuneRecord(request, deploying))
    .catch(async (error: unknown) => {
      await folder.takeBack();
      throw error;
    });
  const before = await folder.begin(record);
  const trials = before.filter(({ disturbed }) => disturbed === undefined);
  const context: Context = {
    ...deploying,
    record,
    trials,
    again: before.length - trials.length,
    tool: record.tool,
    ...(await generatorHere(where, progress)),
  };
  const { changes } = record;
  const left = trialsLeftToScreen(record, trials).length;
  progress.line(
    `${changesText(changes.length)}; ${left} fresh deployments of about ${trialSeconds(plan, record.mode)} s to screen them`,
  );
  await measureAll(context, () => trialsLeftToScreen(record, trials));
  const { chosen } = judgeTune(record, trials);
  const together = changes.filter(({ id }) => chosen.includes(id));
  if (together.length > 0) progress.line(confirmationText(record, together, trials));
  await measureAll(context, () => openConfirmation(record, together, trials));
  if (judgeTune(record, trials).outcome !== 'confirmed') return;
  await measureAll(context, () => openLatency(record, together, trials));
}

/** The changes to confirm, the number of trials, and the smallest gain that these can confirm. */
function confirmationText(record: TuneRecord, chosen: Change[], trials: TrialRecord[]): string {
  const left = openConfirmation(record, chosen, trials).length;
  const smallest = smallestConfirmableGain(record, trials);
  const what = `more throughput, now together against the baseline: ${chosen.map(changeText).join(', ')}`;
  const shows = smallest === undefined ? '' : `, which can confirm a gain of ${formatPercent(smallest)} or more`;
  return `${what}; ${left} deployments${shows}`;
}

interface Context extends Deploying, Measuring {
  folder: TuneFolder;
  record: TuneRecord;
  /** The measured trials; grows. */
  trials: TrialRecord[];
  /** Number of disturbed trials of earlier commands, which are measured again. */
  again: number;
}

/** Measures the rest of a stage. The list of open trials is computed again after each trial. */
async function measureAll(context: Context, open: () => PlannedTrial[]): Promise<void> {
  const { trials, folder, progress } = context;
  for (let [next, ...others] = open(); next; [next, ...others] = open()) {
    const trial = await measure(context, next);
    trials.push(trial);
    await folder.trial(trial);
    progress.line(`${trialTitle(next)}: ${figuresText(trial)}${trialsLeftText(others.length, trials)}`);
  }
}

const changesText = (count: number): string => (count === 1 ? '1 change' : `${count} changes`);

function trialTitle({ stage, changes, rate }: PlannedTrial): string {
  const what = changes.length === 0 ? 'baseline' : stage === 'screening' ? changesText(changes.length) : 'tuned';
  return rate === undefined ? what : `${what} at ${formatRate(rate)}`;
}

function figuresText({ failed, disturbed, rate, perSecond: throughput, p95 }: TrialRecord): string {
  if (throughput === undefined) return (failed ?? disturbed)!;
  return rate !== undefined && p95 !== undefined ? `p95 ${formatSeconds(p95)}` : formatRate(throughput);
}

async function measure(context: Context, { stage, row, changes, rate }: PlannedTrial): Promise<TrialRecord> {
  const { plan, given, folder, trials, again } = context;
  const index = trials.length + again;
  const measured = await measureTrial(context, index, async () => {
    const file = await folder.values(String(index + 1).padStart(2, '0'), trialValues(changes, given));
    const tried = withChanges(plan, file, changes);
    return rate === undefined ? tried : planAtRate(tried, rate);
  });
  return { index, stage, row, changes: changes.map(({ id }) => id), ...(rate !== undefined && { rate }), ...measured };
}
