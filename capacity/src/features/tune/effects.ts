import type { Ratio } from '../../stats/ratio.js';
import type { Change, ChangeEffect, Finding, TrialRecord } from './record.js';
import { bonferroniConfidence, estimateEffects, type Trial } from '../../stats/effects.js';
import { MIN_RELEVANT_CHANGE } from '../trial/matters.js';

/** What each change does in the screening, the most useful first. */
export function estimateChangeEffects(
  changes: Change[],
  screened: TrialRecord[],
  failing: string[],
  loads: string[],
): ChangeEffect[] {
  const trials = withLevels(changes, screened);
  const [throughput, memory, p95] = [
    estimateRatios(trials, (t) => t.perSecond),
    estimateRatios(trials, (t) => t.memoryBytes),
    estimateRatios(trials, (t) => t.p95),
  ];
  const each = estimateLoadRatios(trials, loads);
  const sure = estimateEffects(
    trialsWithValue(trials, (t) => t.perSecond),
    bonferroniConfidence(changes.length),
  );
  const allFailures = screened.filter((t) => t.failed !== undefined);
  const isChangeOfSetting = (id: string, setting: string) => changes.some((c) => c.id === id && c.setting === setting);
  const effects = changes.map((change, i): ChangeEffect => {
    const its = screened.filter((t) => t.disturbed === undefined && t.changes.includes(change.id));
    const failures = its.filter((t) => t.failed !== undefined);
    return {
      change,
      finding: failing.includes(change.id) ? 'fails' : judgeRatio(throughput[i]),
      isSure: (sure[i]?.least ?? 0) > 1,
      ...(throughput[i] && { throughput: throughput[i] }),
      ...(each[i] && { loads: each[i] }),
      ...(memory[i] && { memory: memory[i] }),
      ...(p95[i] && { p95: p95[i] }),
      isSuspect:
        failures.length > 1 && allFailures.every((t) => t.changes.some((id) => isChangeOfSetting(id, change.setting))),
      ...(failures[0] && {
        failures: { failed: failures.length, trials: its.length, why: failures[0].failed! },
      }),
    };
  });
  return effects.sort(compareUsefulness);
}

/** A trial, with the level of each change. */
export type Levelled = TrialRecord & { levels: boolean[] };

export const withLevels = (changes: Change[], trials: TrialRecord[]): Levelled[] =>
  trials.map((t) => ({ ...t, levels: changes.map(({ id }) => t.changes.includes(id)) }));

export const estimateRatios = (
  trials: Levelled[],
  value: (t: TrialRecord) => number | undefined,
): (Ratio | undefined)[] => estimateEffects(trialsWithValue(trials, value));

/** The effects on the throughput of each load, for each level; none without loads. */
export function estimateLoadRatios(trials: Levelled[], loads: string[]): (Record<string, Ratio> | undefined)[] {
  if (loads.length === 0) return [];
  const ratios = loads.map((name) => estimateRatios(trials, (t) => t.loads?.[name]?.perSecond));
  return (trials[0]?.levels ?? []).map((_, level) =>
    Object.fromEntries(loads.flatMap((name, i) => (ratios[i]![level] ? [[name, ratios[i]![level]]] : []))),
  );
}

/** Surely less, by enough to matter. */
export const isWorse = ({ ratio, most }: Ratio): boolean => most < 1 && ratio <= 1 / (1 + MIN_RELEVANT_CHANGE);

/** The trials that gave a figure. */
export const trialsWithValue = (trials: Levelled[], value: (t: TrialRecord) => number | undefined): Trial[] =>
  trials.flatMap((t) => {
    const measured = t.failed === undefined ? value(t) : undefined;
    return measured !== undefined && measured > 0 ? [{ levels: t.levels, value: measured }] : [];
  });

function judgeRatio(effect: Ratio | undefined): Finding {
  if (!effect) return 'open';
  if (effect.most <= 1 + MIN_RELEVANT_CHANGE && effect.least >= 1 / (1 + MIN_RELEVANT_CHANGE)) return 'none';
  if (effect.least > 1) return 'more';
  if (effect.most < 1) return 'less';
  return effect.most <= 1 + MIN_RELEVANT_CHANGE ? 'noGain' : 'open';
}

const ORDER: Finding[] = ['more', 'open', 'none', 'noGain', 'less', 'fails'];
const compareUsefulness = (a: ChangeEffect, b: ChangeEffect): number =>
  ORDER.indexOf(a.finding) - ORDER.indexOf(b.finding) || (b.throughput?.ratio ?? 0) - (a.throughput?.ratio ?? 0);
