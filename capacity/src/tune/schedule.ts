import type { Change, Stage, TrialRecord, TuneRecord } from '../model/tune.js';
import { seededRandom } from '../stats/random.js';
import { fewestRows, mostFactors, screeningDesign } from '../stats/screening.js';
import { compatible } from './trial-values.js';

/** Baseline and tuned values by turns, four fresh deployments of each: a machine that becomes slower slows both. */
const TURNS = ['baseline', 'tuned', 'tuned', 'baseline', 'baseline', 'tuned', 'tuned', 'baseline'] as const;
/** Trials of the confirmation. */
const CONFIRMATION_TRIALS = TURNS.length;
/** Start and end of a deployment take about so long, in seconds. */
const AROUND_SECONDS = 15;

/** How long a trial takes, roughly, in seconds. */
export const trialSeconds = ({ warmupSeconds, stepSeconds }: { warmupSeconds: number; stepSeconds: number }): number =>
  AROUND_SECONDS + warmupSeconds + stepSeconds;

/** The most changes that can be screened and confirmed within a budget; 0 where it is too short for any. */
export const mostChanges = (budgetSeconds: number, perTrial: number): number =>
  mostFactors(Math.floor(budgetSeconds / perTrial) - CONFIRMATION_TRIALS);

/** The shortest budget that allows an answer, in seconds. */
export const leastBudget = (perTrial: number): number => (fewestRows() + CONFIRMATION_TRIALS) * perTrial;

/** A trial that is to be measured. */
export interface Planned {
  stage: Stage;
  row: number;
  changes: Change[];
}

/** The changes of each trial of the screening, in a random order, so that a machine that changes is no change's doing. */
export function screeningRows(changes: Change[], seed: number): Change[][] {
  const random = seededRandom(seed);
  return screeningDesign(changes.length)
    .map((levels) => compatible(changes.filter((_, i) => levels[i])))
    .map((trial) => ({ trial, order: random.uniform() }))
    .sort((a, b) => a.order - b.order)
    .map(({ trial }) => trial);
}

/**
 * The trials of the screening that are not measured yet. When each was tried once, those that failed are tried again without
 * the changes that cannot work, as half of all trials have each of them.
 */
export function openScreening(
  { changes, seed }: Pick<TuneRecord, 'changes' | 'seed'>,
  trials: TrialRecord[],
): Planned[] {
  const screened = trials.filter(({ stage }) => stage === 'screening');
  const rows = screeningRows(changes, seed).map((row, i): Planned => ({ stage: 'screening', row: i, changes: row }));
  const untried = rows.filter(({ row }) => screened.every((t) => t.row !== row));
  if (untried.length > 0) return untried;
  const failing = failingChanges(changes, screened);
  return rows.flatMap(({ row, changes: planned, stage }) => {
    const wanted = planned.filter(({ id }) => !failing.includes(id));
    const tries = screened.filter((t) => t.row === row);
    const isDone =
      wanted.length === planned.length ||
      tries.some((t) => t.perSecond !== undefined || t.changes.length === wanted.length);
    return isDone ? [] : [{ stage, row, changes: wanted }];
  });
}

/** Changes that failed in every trial of the screening, while others did not. A disturbed trial tells nothing. */
export function failingChanges(changes: Change[], screened: TrialRecord[]): string[] {
  const told = screened.filter((t) => t.disturbed === undefined);
  if (told.every((t) => t.failed !== undefined)) return [];
  return changes.flatMap(({ id }) => {
    const its = told.filter((t) => t.changes.includes(id));
    return its.length > 0 && its.every((t) => t.failed !== undefined) ? [id] : [];
  });
}

/** The trials that compare the chosen changes with the baseline and are not measured yet; none where none is chosen. */
export function openConfirmation(chosen: Change[], trials: TrialRecord[]): Planned[] {
  if (chosen.length === 0) return [];
  const done = trials.filter(({ stage }) => stage === 'confirmation').length;
  return TURNS.map((turn, row): Planned => ({
    stage: 'confirmation',
    row,
    changes: turn === 'tuned' ? chosen : [],
  })).slice(done);
}
