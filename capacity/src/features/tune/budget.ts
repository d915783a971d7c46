import { sum } from 'simple-statistics';
import type { Plan } from '../../model/plan.js';
import type { TrialRecord, TuneRecord } from './record.js';
import { atRate } from '../trial/latency.js';

/** Seconds that start and end of a deployment take. Queue mode has more processes (records in bench/results/tuning). */
const AROUND_SECONDS: Record<TuneRecord['mode'], number> = { regular: 15, queue: 40 };
/** Fewest and most trials of the screening. Fewer show nothing; more add little. */
const LEAST_ROWS = 12;
const MOST_ROWS = 96;
/** Trials for each change. With fewer, the effects of different changes cannot be separated well. */
const ROWS_PER_CHANGE = 2.5;
/** Share of all trials that is reserved for the confirmation. */
const CONFIRMATION_SHARE = 1 / 3;
/** Trials of the confirmation: four fresh deployments of both are the fewest. */
const LEAST_CONFIRMATIONS = 8;
export const MOST_CONFIRMATIONS = 64;
/** Trials after which the alternating order repeats. */
const TURN = 4;
/** A confirmation of fewer trials shows too little to give any of them to the latency. */
const CONFIRMATIONS_BEFORE_LATENCY = 16;
/** Trials of the latency, where there is time for them. */
export const LATENCY_TRIALS = 8;

type Trial = Pick<Plan, 'loads' | 'warmupSeconds' | 'stepSeconds'>;

/** How long a trial takes, roughly, in seconds. */
export const trialSeconds = ({ loads, warmupSeconds, stepSeconds }: Trial, mode: TuneRecord['mode']): number =>
  AROUND_SECONDS[mode] + loads.length * (warmupSeconds + stepSeconds);

/** Trials of the screening that a budget allows beside the confirmation; 0 where it is too short for any answer. */
export function rowsWithin(budgetSeconds: number, perTrial: number): number {
  const trials = Math.floor(budgetSeconds / perTrial);
  const rows = Math.min(MOST_ROWS, even(trials - keptOf(trials)));
  return rows < LEAST_ROWS ? 0 : rows;
}

/** Number of trials reserved for the confirmation. */
const keptOf = (trials: number): number => Math.max(LEAST_CONFIRMATIONS, Math.floor(trials * CONFIRMATION_SHARE));

const even = (count: number): number => count - (count % 2);

/** The most changes that this number of trials can screen. */
export const mostChanges = (rows: number): number => Math.floor(rows / ROWS_PER_CHANGE);

/**
 * The shortest budget that allows an answer for this number of changes, in seconds.
 * @returns Infinity if no run can screen that number
 */
export function leastBudget(perTrial: number, changes = 1): number {
  const rows = Math.max(LEAST_ROWS, Math.ceil(changes * ROWS_PER_CHANGE));
  if (rows > MOST_ROWS) return Infinity;
  let trials = rows + LEAST_CONFIRMATIONS;
  while (rowsWithin(trials * perTrial, perTrial) < rows) trials += 1;
  return trials * perTrial;
}

/** The facts that decide how many trials there is time for. */
export type Budget = Pick<TuneRecord, 'budgetSeconds' | 'confirmations' | 'plan' | 'mode'>;

/** Trials for which there is time after these, by how long these took. */
function trialsLeft({ budgetSeconds, plan, mode }: Budget, trials: TrialRecord[]): number {
  const took = sum(trials.map(({ tookSeconds }) => tookSeconds));
  const each = trials.length > 0 && took > 0 ? took / trials.length : trialSeconds(plan, mode);
  return Math.floor((budgetSeconds - took) / each);
}

/** Trials for each change. With fewer, the effects cannot be separated at all. */
const LEAST_PER_CHANGE = 2;

/** Whether only the time of the confirmation is left, because the trials took longer than expected. */
export function isScreeningOver(record: Budget & Pick<TuneRecord, 'changes'>, screened: TrialRecord[]): boolean {
  const least = Math.max(LEAST_ROWS, LEAST_PER_CHANGE * record.changes.length);
  const left = trialsLeft(record, screened);
  return screened.filter((t) => t.perSecond !== undefined).length >= least && left <= keptOf(screened.length + left);
}

/** Whether the budget has time for one more trial of the screening, where none is needed for a confirmation. */
export const isTimeLeft = (record: Budget, screened: TrialRecord[]): boolean => trialsLeft(record, screened) >= 1;

/** Trials of the confirmation: what the screening left of the budget, less those of the latency if there is room for both. */
export function confirmationTrials(record: Budget, trials: TrialRecord[]): number {
  const left = trialsLeft(
    record,
    trials.filter(({ stage }) => stage === 'screening'),
  );
  const own = left >= CONFIRMATIONS_BEFORE_LATENCY + LATENCY_TRIALS ? left - LATENCY_TRIALS : left;
  return Math.min(record.confirmations, Math.max(LEAST_CONFIRMATIONS, own - (own % TURN)));
}

/** Trials of the latency at an arrival rate, once screening and confirmation are measured: all or none. */
export function latencyTrials({ budgetSeconds, plan, mode }: Budget, trials: TrialRecord[], rate: number): number {
  const took = sum(trials.filter(({ stage }) => stage !== 'latency').map(({ tookSeconds }) => tookSeconds));
  return budgetSeconds - took >= LATENCY_TRIALS * trialSeconds(atRate(plan, rate), mode) ? LATENCY_TRIALS : 0;
}
