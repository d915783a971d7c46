import { geometricMean } from 'simple-statistics';
import { changeBetween, percent, perSecond } from '../core/formats.js';
import type { Ratio } from '../model/trial.js';
import type { Change, ChangeEffect, Finding, Gain, TrialRecord, TuneConclusion, TuneRecord } from '../model/tune.js';
import { effectsOf, smallestEffect, spreadOf, type Trial } from '../stats/effects.js';
import { LATENCY_MATTERS, MATTERS } from '../trial/matters.js';
import { confirmationTrials } from './budget.js';
import {
  comparedRate,
  failedTogether,
  failingChanges,
  groupOf,
  isOfChosen,
  openConfirmation,
  openLatency,
  openScreening,
  withoutConflicts,
} from './schedule.js';

type Judged = Pick<TuneConclusion, 'outcome' | 'answer' | 'effects' | 'chosen' | 'gain' | 'trials'>;

/** The answer of the trials so far. */
export function judgeTune(record: TuneRecord, all: TrialRecord[]): Judged {
  const { changes } = record;
  const screened = all.filter((t) => t.stage === 'screening');
  const unscreened = openScreening(record, all);
  const failing = failingChanges(changes, screened);
  const loads = loadNames(record);
  const effects = effectsIn(changes, screened, failing, loads).sort(byUse);
  const chosen = unscreened.length > 0 ? [] : chosenOf(effects, record.conflicts);
  const left = unscreened.length + openConfirmation(record, chosen, all).length;
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
  if (chosen.length === 0) return { ...base, outcome: 'nothing', answer: nothingFound(effects) };
  const failed = failedTogether(all, ids);
  if (failed !== undefined) return { ...base, outcome: 'nothing', answer: `${listed(ids)} together fail: ${failed}` };
  if (left > 0) return { ...base, outcome: 'open', answer: `${listed(ids)} not confirmed yet` };
  const together = confirmed(ids, all, loads);
  if (together.outcome !== 'confirmed') return { ...base, ...together };
  return { ...base, ...together, trials: { measured: all.length, left: openLatency(record, chosen, all).length } };
}

function confirmed(chosen: string[], all: TrialRecord[], loads: string[]): Pick<Judged, 'outcome' | 'answer' | 'gain'> {
  const ofChosen = all.filter((t) => isOfChosen(t, chosen));
  const trials = ofChosen.filter((t) => t.stage === 'confirmation');
  const compared = sides(trials);
  const [throughput] = ratiosOf(compared, (t) => t.perSecond);
  if (!throughput) return { outcome: 'open', answer: `too few trials of ${listed(chosen)} gave figures` };
  const [memory] = ratiosOf(compared, (t) => t.memoryBytes);
  const latency = latencyOf(ofChosen);
  const mean = (tuned: boolean) =>
    geometricMean(compared.filter((t) => t.levels[0] === tuned).flatMap((t) => t.perSecond ?? []));
  const spread = spreadOf(valuesOf(compared, (t) => t.perSecond));
  const smallest = spread && smallestEffect(spread, valuesOf(compared, (t) => t.perSecond).length);
  const [each] = ratiosOfLoads(compared, loads);
  const gain: Gain = {
    ...{ throughput, baseline: mean(false), tuned: mean(true) },
    ...(each && { loads: each }),
    ...(memory && { memory }),
    ...(latency && { latency }),
    ...(smallest !== undefined && { smallest }),
  };
  const what = `${listed(chosen)}: ${changeBetween(throughput)} of throughput`;
  if (throughput.least > 1) {
    const answer = `${what}${latencyText(latency)}`;
    if (throughput.ratio < 1 + MATTERS)
      return { outcome: 'nothing', gain, answer: `${answer}: less than ${percent(MATTERS)} counts as nothing` };
    const [worse] = Object.entries(each ?? {}).filter(([, ratio]) => isWorse(ratio));
    if (worse) return { outcome: 'nothing', gain, answer: `${answer}, but ${changeBetween(worse[1])} of ${worse[0]}` };
    if (latency && latency.ratio.least > 1 + LATENCY_MATTERS)
      return { outcome: 'nothing', gain, answer: `${answer}: such an increase of the p95 outweighs the gain` };
    return { outcome: 'confirmed', gain, answer };
  }
  const shows =
    smallest === undefined ? '' : `; ${trials.length} trials can confirm a gain of ${percent(smallest)} or more`;
  const isSmall = throughput.most <= 1 + MATTERS;
  return { outcome: isSmall ? 'nothing' : 'open', gain, answer: `${what}, which is not confirmed${shows}` };
}

/** The latencies of both at the same rate. */
function latencyOf(all: TrialRecord[]): Gain['latency'] {
  const rate = comparedRate(all);
  const [ratio] = ratiosOf(sides(all.filter((t) => t.stage === 'latency')), (t) => t.p95);
  return rate === undefined || !ratio ? undefined : { rate, ratio };
}

const latencyText = (latency: Gain['latency']): string =>
  latency
    ? `, ${changeBetween(latency.ratio)} of the p95 at ${perSecond(latency.rate)}`
    : '; the p95 at the same rate was not compared';

/** Trials of the baseline and of the chosen changes. */
const sides = (trials: TrialRecord[]) => trials.map((t) => ({ ...t, levels: [t.changes.length > 0] }));

/** The smallest gain that the confirmation will show, as the screening lets expect; undefined where it does not tell. */
export function smallestConfirmed(record: TuneRecord, all: TrialRecord[]): number | undefined {
  const screened = all.filter((t) => t.stage === 'screening');
  const spread = spreadOf(valuesOf(withLevels(record.changes, screened), (t) => t.perSecond));
  return spread && smallestEffect(spread, confirmationTrials(record, all));
}

function nothingFound(effects: ChangeEffect[]): string {
  const open = effects.filter(({ finding }) => finding === 'open').length;
  const answer = `none of ${effects.length} changes is shown to give ${percent(MATTERS)} more throughput or more`;
  return open > 0 ? `${answer}; ${open} are not decided` : answer;
}

/** The loads whose throughput is told apart; none where there is one alone. */
const loadNames = ({ plan: { loads } }: Pick<TuneRecord, 'plan'>): string[] =>
  loads.length > 1 ? loads.map(({ name }) => name) : [];

/** What each change does in the screening. */
function effectsIn(changes: Change[], screened: TrialRecord[], failing: string[], loads: string[]): ChangeEffect[] {
  const trials = withLevels(changes, screened);
  const [throughput, memory, p95] = [
    ratiosOf(trials, (t) => t.perSecond),
    ratiosOf(trials, (t) => t.memoryBytes),
    ratiosOf(trials, (t) => t.p95),
  ];
  const each = ratiosOfLoads(trials, loads);
  return changes.map((change, i) => {
    const failed =
      failing.includes(change.id) &&
      screened.find((t) => t.failed !== undefined && t.changes.includes(change.id))?.failed;
    return {
      change,
      finding: failed ? 'fails' : findingOf(throughput[i]),
      ...(throughput[i] && { throughput: throughput[i] }),
      ...(each[i] && { loads: each[i] }),
      ...(memory[i] && { memory: memory[i] }),
      ...(p95[i] && { p95: p95[i] }),
      ...(failed && { failed }),
    };
  });
}

type Levelled = TrialRecord & { levels: boolean[] };

const withLevels = (changes: Change[], trials: TrialRecord[]): Levelled[] =>
  trials.map((t) => ({ ...t, levels: changes.map(({ id }) => t.changes.includes(id)) }));

const ratiosOf = (trials: Levelled[], value: (t: TrialRecord) => number | undefined): (Ratio | undefined)[] =>
  effectsOf(valuesOf(trials, value));

/** The effects on the throughput of each load, for each level; none without loads. */
function ratiosOfLoads(trials: Levelled[], loads: string[]): (Record<string, Ratio> | undefined)[] {
  if (loads.length === 0) return [];
  const ratios = loads.map((name) => ratiosOf(trials, (t) => t.loads?.[name]?.perSecond));
  return (trials[0]?.levels ?? []).map((_, level) =>
    Object.fromEntries(loads.flatMap((name, i) => (ratios[i]![level] ? [[name, ratios[i]![level]]] : []))),
  );
}

/** Surely less, by enough to matter. */
const isWorse = ({ ratio, most }: Ratio): boolean => most < 1 && ratio <= 1 / (1 + MATTERS);

/** The trials that gave a figure. */
const valuesOf = (trials: Levelled[], value: (t: TrialRecord) => number | undefined): Trial[] =>
  trials.flatMap((t) => {
    const measured = t.failed === undefined ? value(t) : undefined;
    return measured !== undefined && measured > 0 ? [{ levels: t.levels, value: measured }] : [];
  });

function findingOf(effect: Ratio | undefined): Finding {
  if (!effect) return 'open';
  if (effect.most <= 1 + MATTERS && effect.least >= 1 / (1 + MATTERS)) return 'none';
  if (effect.least > 1) return 'more';
  return effect.most < 1 ? 'less' : 'open';
}

/**
 * The changes that give more, by enough to matter, and surely less on none of several loads; of those that exclude each other,
 * the best one.
 */
function chosenOf(effects: ChangeEffect[], conflicts: TuneRecord['conflicts']): Change[] {
  const better = effects
    .filter(({ finding, throughput }) => finding === 'more' && throughput!.ratio >= 1 + MATTERS)
    .filter(({ loads = {} }) => !Object.values(loads).some(isWorse))
    .map(({ change }) => change);
  const best = better.filter((change, i) => better.findIndex((other) => groupOf(other) === groupOf(change)) === i);
  return withoutConflicts(best, conflicts);
}

const ORDER: Finding[] = ['more', 'open', 'none', 'less', 'fails'];
const byUse = (a: ChangeEffect, b: ChangeEffect): number =>
  ORDER.indexOf(a.finding) - ORDER.indexOf(b.finding) || (b.throughput?.ratio ?? 0) - (a.throughput?.ratio ?? 0);

const listed = (ids: string[]): string => ids.join(', ');
