import { sum } from 'simple-statistics';
import type { Plan } from '../../model/plan.js';
import type { TrialRecord, TuneRecord } from './record.js';
import { planAtRate } from '../trial/latency.js';

/** Seconds that start and end of a deployment take. Queue mode has more processes (records in bench/results/tuning). */
const DEPLOYMENT_SECONDS: Record<TuneRecord['mode'], number> = { regular: 15, queue: 40 };
/** Fewest and most trials of the screening. Fewer show nothing; more add little. */
const MIN_SCREENING_TRIALS = 12;
const MAX_SCREENING_TRIALS = 96;
/** Trials for each change. With fewer, the effects of different changes cannot be separated well. */
const TRIALS_PER_CHANGE = 2.5;
/** Share of all trials that is reserved for the confirmation. */
const CONFIRMATION_SHARE = 1 / 3;
/** Trials of the confirmation: four fresh deployments of both are the fewest. */
const MIN_CONFIRMATION_TRIALS = 8;
export const MAX_CONFIRMATION_TRIALS = 64;
/** Trials after which the alternating order repeats. */
const TURN_LENGTH = 4;
/** A confirmation of fewer trials shows too little to give any of them to the latency. */
const CONFIRMATIONS_BEFORE_LATENCY = 16;
/** Trials of the latency, where there is time for them. */
export const LATENCY_TRIALS = 8;

type Trial = Pick<Plan, 'loads' | 'warmupSeconds' | 'stepSeconds'>;

/** How long a trial takes, roughly, in seconds. */
export const trialSeconds = ({ loads, warmupSeconds, stepSeconds }: Trial, mode: TuneRecord['mode']): number =>
  DEPLOYMENT_SECONDS[mode] + loads.length * (warmupSeconds + stepSeconds);

/** Trials of the screening that a budget allows beside the confirmation; 0 where it is too short for any answer. */
export function screeningTrialsWithin(budgetSeconds: number, perTrial: number): number {
  const trials = Math.floor(budgetSeconds / perTrial);
  const rows = Math.min(MAX_SCREENING_TRIALS, roundDownToEven(trials - reservedTrials(trials)));
  return rows < MIN_SCREENING_TRIALS ? 0 : rows;
}

/** Number of trials reserved for the confirmation. */
const reservedTrials = (trials: number): number =>
  Math.max(MIN_CONFIRMATION_TRIALS, Math.floor(trials * CONFIRMATION_SHARE));

const roundDownToEven = (count: number): number => count - (count % 2);

/** The most changes that this number of trials can screen. */
export const mostChanges = (rows: number): number => Math.floor(rows / TRIALS_PER_CHANGE);

/**
 * The shortest budget that allows an answer for this number of changes, in seconds.
 * @returns Infinity if no run can screen that number
 */
export function leastBudget(perTrial: number, changes = 1): number {
  const rows = Math.max(MIN_SCREENING_TRIALS, Math.ceil(changes * TRIALS_PER_CHANGE));
  if (rows > MAX_SCREENING_TRIALS) return Infinity;
  let trials = rows + MIN_CONFIRMATION_TRIALS;
  while (screeningTrialsWithin(trials * perTrial, perTrial) < rows) trials += 1;
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
const MIN_TRIALS_PER_CHANGE = 2;

/** Whether only the time of the confirmation is left, because the trials took longer than expected. */
export function isScreeningOver(record: Budget & Pick<TuneRecord, 'changes'>, screened: TrialRecord[]): boolean {
  const least = Math.max(MIN_SCREENING_TRIALS, MIN_TRIALS_PER_CHANGE * record.changes.length);
  const left = trialsLeft(record, screened);
  return (
    screened.filter((t) => t.perSecond !== undefined).length >= least && left <= reservedTrials(screened.length + left)
  );
}

/** Whether the budget has time for one more trial of the screening, where none is needed for a confirmation. */
export const hasTimeLeft = (record: Budget, screened: TrialRecord[]): boolean => trialsLeft(record, screened) >= 1;

/** Trials of the confirmation: what the screening left of the budget, less those of the latency if there is room for both. */
export function confirmationTrials(record: Budget, trials: TrialRecord[]): number {
  const left = trialsLeft(
    record,
    trials.filter(({ stage }) => stage === 'screening'),
  );
  const own = left >= CONFIRMATIONS_BEFORE_LATENCY + LATENCY_TRIALS ? left - LATENCY_TRIALS : left;
  return Math.min(record.confirmations, Math.max(MIN_CONFIRMATION_TRIALS, own - (own % TURN_LENGTH)));
}

/** Trials of the latency at an arrival rate, once screening and confirmation are measured: all or none. */
export function latencyTrials({ budgetSeconds, plan, mode }: Budget, trials: TrialRecord[], rate: number): number {
  const took = sum(trials.filter(({ stage }) => stage !== 'latency').map(({ tookSeconds }) => tookSeconds));
  return budgetSeconds - took >= LATENCY_TRIALS * trialSeconds(planAtRate(plan, rate), mode) ? LATENCY_TRIALS : 0;
}
