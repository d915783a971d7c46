import { geometricMean } from 'simple-statistics';
import { formatChangeInterval, formatPercent, formatRate } from '../../core/formats.js';
import {
  changeText,
  type Change,
  type ChangeEffect,
  type Gain,
  type TrialRecord,
  type TuneConclusion,
  type TuneRecord,
} from './record.js';
import { smallestDetectableEffect, estimateSpread } from '../../stats/effects.js';
import { MIN_RELEVANT_LATENCY_CHANGE, MIN_RELEVANT_CHANGE } from '../trial/matters.js';
import { confirmationTrials } from './budget.js';
import {
  estimateChangeEffects,
  isWorse,
  estimateRatios,
  estimateLoadRatios,
  trialsWithValue,
  withLevels,
} from './effects.js';
import {
  comparedRate,
  jointFailureReason,
  findFailingChanges,
  groupOf,
  comparesChosen,
  openConfirmation,
  openLatency,
  openScreening,
  withoutConflicts,
  type PlannedTrial,
} from './schedule.js';

type Judged = Pick<TuneConclusion, 'outcome' | 'answer' | 'effects' | 'chosen' | 'gain' | 'trials'>;

/** The answer of the trials so far. */
export function judgeTune(record: TuneRecord, all: TrialRecord[]): Judged {
  const screened = all.filter((t) => t.stage === 'screening');
  const unscreened = openScreening(record, all, () => true);
  const loads = separateLoadNames(record);
  const effects = screenedEffects(record, all);
  const chosen = unscreened.length > 0 ? [] : chooseChanges(effects, record.conflicts);
  const left = trialsLeftToScreen(record, all).length + openConfirmation(record, chosen, all).length;
  const ids = chosen.map(({ id }) => id);
  const base = { effects, chosen: ids, trials: { measured: all.length, left } };
  if (unscreened.length > 0)
    return { ...base, outcome: 'open', answer: `${left} trials of the screening are not measured yet` };
  if (screened.every((t) => t.perSecond === undefined))
    return {
      ...base,
      outcome: 'open',
      answer: `no trial gave figures: ${screened[0]!.failed ?? screened[0]!.disturbed}`,
    };
  if (chosen.length === 0) return { ...base, ...judgeNothingChosen(effects) };
  const failed = jointFailureReason(all, ids);
  if (failed !== undefined) return { ...base, ...judgeJointFailure(chosen, failed) };
  if (left > 0) return { ...base, outcome: 'open', answer: `${listChanges(chosen)} not confirmed yet` };
  const together = judgeConfirmation(chosen, all, loads);
  if (together.outcome !== 'confirmed') return { ...base, ...together };
  return { ...base, ...together, trials: { measured: all.length, left: openLatency(record, chosen, all).length } };
}

/**
 * The trials of the screening that are not measured yet. While there is nothing to confirm, the screening may also use the time
 * of the confirmation; those extra trials are not needed for an answer.
 */
export const trialsLeftToScreen = (record: TuneRecord, all: TrialRecord[]): PlannedTrial[] =>
  openScreening(record, all, () => chooseChanges(screenedEffects(record, all), record.conflicts).length > 0);

function screenedEffects(record: TuneRecord, all: TrialRecord[]): ChangeEffect[] {
  const screened = all.filter((t) => t.stage === 'screening');
  return estimateChangeEffects(
    record.changes,
    screened,
    findFailingChanges(record.changes, screened),
    separateLoadNames(record),
  );
}

function judgeConfirmation(
  chosen: Change[],
  all: TrialRecord[],
  loads: string[],
): Pick<Judged, 'outcome' | 'answer' | 'gain'> {
  const ids = chosen.map(({ id }) => id);
  const ofChosen = all.filter((t) => comparesChosen(t, ids));
  const trials = ofChosen.filter((t) => t.stage === 'confirmation');
  const compared = withTunedLevel(trials);
  const [throughput] = estimateRatios(compared, (t) => t.perSecond);
  if (!throughput) return { outcome: 'open', answer: `too few trials of ${listChanges(chosen)} gave figures` };
  const [memory] = estimateRatios(compared, (t) => t.memoryBytes);
  const latency = compareLatencies(ofChosen);
  const mean = (tuned: boolean) =>
    geometricMean(compared.filter((t) => t.levels[0] === tuned).flatMap((t) => t.perSecond ?? []));
  const spread = estimateSpread(trialsWithValue(compared, (t) => t.perSecond));
  const smallest = spread && smallestDetectableEffect(spread, trialsWithValue(compared, (t) => t.perSecond).length);
  const [each] = estimateLoadRatios(compared, loads);
  const gain: Gain = {
    ...{ throughput, baseline: mean(false), tuned: mean(true) },
    ...(each && { loads: each }),
    ...(memory && { memory }),
    ...(latency && { latency }),
    ...(smallest !== undefined && { smallest }),
  };
  const what = `${listChanges(chosen)}: ${formatChangeInterval(throughput)} of throughput`;
  if (throughput.least > 1) {
    const answer = `${what}${latencyText(latency)}`;
    if (throughput.ratio < 1 + MIN_RELEVANT_CHANGE)
      return {
        outcome: 'nothing',
        gain,
        answer: `${answer}: less than ${formatPercent(MIN_RELEVANT_CHANGE)} counts as nothing`,
      };
    const [worse] = Object.entries(each ?? {}).filter(([, ratio]) => isWorse(ratio));
    if (worse)
      return { outcome: 'nothing', gain, answer: `${answer}, but ${formatChangeInterval(worse[1])} of ${worse[0]}` };
    if (latency && latency.ratio.least > 1 + MIN_RELEVANT_LATENCY_CHANGE)
      return { outcome: 'nothing', gain, answer: `${answer}: such an increase of the p95 outweighs the gain` };
    return { outcome: 'confirmed', gain, answer };
  }
  const shows =
    smallest === undefined ? '' : `; ${trials.length} trials can confirm a gain of ${formatPercent(smallest)} or more`;
  const isSmall = throughput.most <= 1 + MIN_RELEVANT_CHANGE;
  return { outcome: isSmall ? 'nothing' : 'open', gain, answer: `${what}, which is not confirmed${shows}` };
}

/** The latencies of both at the same rate. */
function compareLatencies(all: TrialRecord[]): Gain['latency'] {
  const rate = comparedRate(all);
  const [ratio] = estimateRatios(withTunedLevel(all.filter((t) => t.stage === 'latency')), (t) => t.p95);
  return rate === undefined || !ratio ? undefined : { rate, ratio };
}

const latencyText = (latency: Gain['latency']): string =>
  latency
    ? `, ${formatChangeInterval(latency.ratio)} of the p95 at ${formatRate(latency.rate)}`
    : '; the p95 at the same rate was not compared';

/** Trials of the baseline and of the chosen changes. */
const withTunedLevel = (trials: TrialRecord[]) => trials.map((t) => ({ ...t, levels: [t.changes.length > 0] }));

/** The smallest gain that the confirmation can show, estimated from the screening; undefined if unknown. */
export function smallestConfirmableGain(record: TuneRecord, all: TrialRecord[]): number | undefined {
  const screened = all.filter((t) => t.stage === 'screening');
  const spread = estimateSpread(trialsWithValue(withLevels(record.changes, screened), (t) => t.perSecond));
  return spread && smallestDetectableEffect(spread, confirmationTrials(record, all));
}

/** If one change was chosen, its failure means there is no better value. If several were, one alone may still be better. */
const judgeJointFailure = (chosen: Change[], why: string): Pick<Judged, 'outcome' | 'answer'> =>
  chosen.length > 1
    ? {
        outcome: 'open',
        answer: `${listChanges(chosen)} together fail: ${why}; try one alone: ${settingFlags(chosen)}`,
      }
    : { outcome: 'nothing', answer: `${listChanges(chosen)} gives more throughput and fails: ${why}` };

/** The answer if no change is chosen. An undecided change may still be better. */
function judgeNothingChosen(effects: ChangeEffect[]): Pick<Judged, 'outcome' | 'answer'> {
  const open = effects.filter(({ finding }) => finding === 'open');
  const promising = effects.filter((e) => isBetter(e) && !isWorseOnOne(e)).map(({ change }) => change);
  const which = effects.length === 1 ? 'the change is not' : `none of ${effects.length} changes is`;
  const found = `${which} shown to give ${formatPercent(MIN_RELEVANT_CHANGE)} more throughput or more`;
  const answer = [
    found,
    ...(open.length > 0 ? [`${open.length} ${open.length === 1 ? 'is' : 'are'} not decided`] : []),
    ...(promising.length > 0 ? [`${listChanges(promising)} may; try one alone: ${settingFlags(promising)}`] : []),
  ].join('; ');
  return { outcome: open.length > 0 || promising.length > 0 ? 'open' : 'nothing', answer };
}

/** Names of the loads whose throughput is judged separately; empty for a single load. */
const separateLoadNames = ({ plan: { loads } }: Pick<TuneRecord, 'plan'>): string[] =>
  loads.length > 1 ? loads.map(({ name }) => name) : [];

/**
 * The changes that give a gain that matters, and no certain loss on any load. Of changes that exclude each other, only the best
 * one.
 */
function chooseChanges(effects: ChangeEffect[], conflicts: TuneRecord['conflicts']): Change[] {
  const better = effects.filter((e) => isBetter(e) && !isWorseOnOne(e) && !isDoubtful(e)).map(({ change }) => change);
  const best = better.filter((change, i) => better.findIndex((other) => groupOf(other) === groupOf(change)) === i);
  return withoutConflicts(best, conflicts);
}

const isBetter = ({ finding, throughput }: ChangeEffect): boolean =>
  finding === 'more' && throughput!.ratio >= 1 + MIN_RELEVANT_CHANGE;
const isWorseOnOne = ({ loads = {} }: ChangeEffect): boolean => Object.values(loads).some(isWorse);

/**
 * Whether a joint confirmation could hide a fault of this change: it fails at times, or it costs something and may be better
 * only by chance.
 */
const isDoubtful = ({ change, isSure, isSuspect }: ChangeEffect): boolean =>
  (change.trades !== 'nothing' && !isSure) || isSuspect;

const listChanges = (changes: Change[]): string => changes.map(changeText).join(', ');

/** The flags that try each of them alone. */
const settingFlags = (changes: Change[]): string =>
  [...new Set(changes.map(({ setting }) => `--setting ${setting}`))].join(' or ');
