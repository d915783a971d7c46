import type { Change, Stage, TrialRecord, TuneRecord } from './record.js';
import { seededRandom } from '../../stats/random.js';
import { createScreeningDesign } from '../../stats/screening.js';
import { latencyRate } from '../trial/latency.js';
import { confirmationTrials, isScreeningOver, hasTimeLeft, latencyTrials, type Budget } from './budget.js';

/** A trial that is to be measured. */
export interface PlannedTrial {
  stage: Stage;
  row: number;
  changes: Change[];
  /** Arrivals per second; undefined for clients that wait for their answers. */
  rate?: number;
}

/** The group of a change. Changes of the same group cannot be deployed together. */
export const groupOf = ({ group, name }: Pick<Change, 'group' | 'name'>): string => group ?? name;

/** Changes without those that the chart refuses beside an earlier one. */
export const withoutConflicts = (changes: Change[], conflicts: TuneRecord['conflicts']): Change[] =>
  changes.reduce<Change[]>((kept, change) => {
    const isRival = (other: Change) => conflicts.some((pair) => pair.includes(other.id) && pair.includes(change.id));
    return kept.some(isRival) ? kept : [...kept, change];
  }, []);

/**
 * The changes of each trial of the screening. The order is random, so that drift of the machine is not mistaken for an effect.
 * A change is in half of the trials; if n changes exclude each other, each is in one of n + 1.
 * @param rows trials, an even number
 */
export function planScreening(changes: Change[], rows: number, seed: number): Change[][] {
  const groups = [...new Set(changes.map(groupOf))].map((group) => changes.filter((c) => groupOf(c) === group));
  const random = seededRandom(seed);
  return createScreeningDesign(
    groups.map((group) => group.length + 1),
    rows,
    seed,
  )
    .map((levels) => groups.flatMap((group, i) => group[levels[i]! - 1] ?? []))
    .map((trial) => ({ trial, order: random.uniform() }))
    .sort((a, b) => a.order - b.order)
    .map(({ trial }) => trial);
}

/**
 * The trials of the screening that are not measured yet. None once no time is left, or once only the time of the confirmation
 * is left and there is something to confirm. After each was tried once, those that failed are tried again without the changes
 * that cannot work.
 * @param confirms whether the screened trials show something to confirm
 */
export function openScreening(
  record: Budget & Pick<TuneRecord, 'changes' | 'rows'>,
  trials: TrialRecord[],
  confirms: () => boolean,
): PlannedTrial[] {
  const { changes, rows } = record;
  const screened = trials.filter(({ stage }) => stage === 'screening');
  const planned = rows.map((ids, row): PlannedTrial => ({
    stage: 'screening',
    row,
    changes: changes.filter(({ id }) => ids.includes(id)),
  }));
  const untried = planned.filter(({ row }) => screened.every((t) => t.row !== row));
  if (untried.length > 0) {
    const isOver = isScreeningOver(record, screened) && (!hasTimeLeft(record, screened) || confirms());
    return isOver ? [] : untried;
  }
  const failing = findFailingChanges(changes, screened);
  return planned.flatMap(({ row, changes: all, stage }) => {
    const wanted = all.filter(({ id }) => !failing.includes(id));
    const tries = screened.filter((t) => t.row === row);
    const isDone =
      wanted.length === all.length ||
      tries.some((t) => t.perSecond !== undefined || t.changes.length === wanted.length);
    return isDone ? [] : [{ stage, row, changes: wanted }];
  });
}

/** Changes that failed in every trial of the screening, while others did not. Disturbed trials are ignored. */
export function findFailingChanges(changes: Change[], screened: TrialRecord[]): string[] {
  const told = screened.filter((t) => t.disturbed === undefined);
  if (told.every((t) => t.failed !== undefined)) return [];
  return changes.flatMap(({ id }) => {
    const its = told.filter((t) => t.changes.includes(id));
    return its.length > 0 && its.every((t) => t.failed !== undefined) ? [id] : [];
  });
}

const changeIds = (changes: Change[]): string[] => changes.map(({ id }) => id);

/** Baseline and tuned values by turns: a machine that becomes slower slows both. */
const TUNED_BY_TURN = [false, true, true, false];

/** `count` trials of a stage, alternating, without the measured ones. */
function alternateTrials(
  stage: Stage,
  count: number,
  chosen: Change[],
  trials: TrialRecord[],
  rate?: number,
): PlannedTrial[] {
  const done = trials.filter((t) => t.stage === stage && comparesChosen(t, changeIds(chosen))).map(({ row }) => row);
  return Array.from({ length: count }, (_, row): PlannedTrial => {
    const changes = TUNED_BY_TURN[row % TUNED_BY_TURN.length] ? chosen : [];
    return { stage, row, changes, ...(rate !== undefined && { rate }) };
  }).filter(({ row }) => !done.includes(row));
}

/** Whether a trial of the confirmation or of the latency is one of these changes, or of the baseline. */
export const comparesChosen = ({ stage, changes }: TrialRecord, chosen: string[]): boolean =>
  stage !== 'screening' &&
  (changes.length === 0 || (changes.length === chosen.length && changes.every((id) => chosen.includes(id))));

/**
 * Why the chosen changes do not work together: n8n died with them or lost executions. One deployment that did not become ready
 * may be due to the machine; two are not.
 */
export function jointFailureReason(trials: TrialRecord[], chosen: string[]): string | undefined {
  const failed = trials.filter((t) => t.failed !== undefined && t.changes.length > 0 && comparesChosen(t, chosen));
  return (failed.find((t) => !t.notReady) ?? failed[1])?.failed;
}

/** The open trials that compare the chosen changes with the baseline; none if no change is chosen. */
export function openConfirmation(record: Budget, chosen: Change[], trials: TrialRecord[]): PlannedTrial[] {
  if (chosen.length === 0 || jointFailureReason(trials, changeIds(chosen)) !== undefined) return [];
  return alternateTrials('confirmation', confirmationTrials(record, trials), chosen, trials);
}

/**
 * The open trials that compare latencies at the same arrival rate. None if the budget is spent or several loads are driven.
 * Call it once the gain is confirmed.
 */
export function openLatency(record: Budget, chosen: Change[], trials: TrialRecord[]): PlannedTrial[] {
  const rate = comparedRate(trials);
  // Several loads have no rate in common.
  return rate === undefined || record.plan.loads.length > 1
    ? []
    : alternateTrials('latency', latencyTrials(record, trials, rate), chosen, trials, rate);
}

/** The arrival rate at which latencies are compared; undefined until both have a throughput. */
export function comparedRate(trials: TrialRecord[]): number | undefined {
  const confirming = trials.filter(({ stage }) => stage === 'confirmation');
  return latencyRate(
    [false, true].map((tuned) =>
      confirming.filter((t) => t.changes.length > 0 === tuned).flatMap((t) => t.perSecond ?? []),
    ),
  );
}
