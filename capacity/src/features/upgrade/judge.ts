import { geometricMean } from 'simple-statistics';
import { formatChange, formatChangeInterval } from '../../core/formats.js';
import type { Ratio } from '../../stats/ratio.js';
import type {
  Comparison,
  Quantity,
  Survival,
  UpgradeConclusion,
  UpgradeFinding,
  UpgradeRecord,
  UpgradeTrial,
} from './record.js';
import { MIN_RELEVANT_LATENCY_CHANGE, MIN_RELEVANT_CHANGE } from '../trial/matters.js';
import { bonferroniConfidence, estimateEffects } from '../../stats/effects.js';
import { findRepeatedFailure, latencyRate, openTrials } from './schedule.js';

interface Measured {
  stage: UpgradeTrial['stage'];
  of: (trial: UpgradeTrial) => number | undefined;
  /** Whether more is better. */
  more?: true;
  /** A smaller difference does not count. */
  matters: number;
}

const QUANTITIES: Record<Quantity, Measured> = {
  throughput: { stage: 'throughput', of: (t) => t.perSecond, more: true, matters: MIN_RELEVANT_CHANGE },
  p95: { stage: 'latency', of: (t) => t.p95, matters: MIN_RELEVANT_LATENCY_CHANGE },
  memory: { stage: 'throughput', of: (t) => t.memoryBytes, matters: MIN_RELEVANT_CHANGE },
  start: { stage: 'throughput', of: (t) => t.startSeconds, matters: MIN_RELEVANT_LATENCY_CHANGE },
};

/** Name of each quantity in a sentence. */
const NAMES: Record<Quantity, string> = {
  throughput: 'throughput',
  p95: 'p95 at the same rate',
  memory: 'memory',
  start: 'start',
};

type Judged = Pick<UpgradeConclusion, 'outcome' | 'answer' | 'comparisons' | 'rate' | 'trials'>;

/** Judges the trials so far and the upgrade on the same database. */
export function judgeUpgrade(record: UpgradeRecord, trials: UpgradeTrial[], survival?: Survival): Judged {
  const comparisons = (Object.keys(QUANTITIES) as Quantity[]).map((quantity) => compareQuantity(quantity, trials));
  const left = openTrials(record, trials).length;
  const rate = latencyRate(trials);
  const base = { comparisons, ...(rate !== undefined && { rate }), trials: { measured: trials.length, left } };
  const broken = findRepeatedFailure(trials);
  if (broken) {
    const sides = new Set(trials.flatMap((t) => (t.failed === undefined ? [] : t.side)));
    const which = sides.size > 1 ? 'neither version works here' : `n8n ${record[broken.side]} does not work`;
    return { ...base, outcome: sides.has('from') ? 'open' : 'worse', answer: `${which}: ${broken.failed}` };
  }
  if (survival?.failed !== undefined && survival.side === 'from')
    return { ...base, outcome: 'open', answer: `n8n ${record.from} does not work: ${survival.failed}` };
  const lost = describeLoss(survival);
  if (lost !== undefined) return { ...base, outcome: 'worse', answer: `after an in-place upgrade, ${lost}` };
  const found = (finding: UpgradeFinding) => comparisons.filter((c) => c.finding === finding);
  const [worse, better, open] = [found('worse'), found('better'), found('open').filter(isExpected)];
  const told = [...worse, ...better].map(sentence);
  const undecided = open.length > 0 ? [`not decided: ${open.map(({ quantity }) => NAMES[quantity]).join(', ')}`] : [];
  const failed = trials.find((t) => t.failed !== undefined && t.side === 'to');
  const once = [
    ...(failed ? [`one deployment of ${record.to} failed: ${failed.failed}`] : []),
    ...(survival?.failedOnce === undefined ? [] : [`one of two in-place upgrades failed: ${survival.failedOnce}`]),
  ];
  const what = [...once, ...told, ...undecided].join('; ') || 'no difference that counts';
  const answer = `n8n ${record.to} against ${record.from}: ${what}`;
  if (worse.length > 0) return { ...base, outcome: 'worse', answer };
  if (left > 0) return { ...base, outcome: 'open', answer: `${left} trials are not measured yet` };
  if (open.length > 0 || once.length > 0) return { ...base, outcome: 'open', answer };
  return { ...base, outcome: comparisons[0]!.finding === 'better' ? 'better' : 'same', answer };
}

/**
 * Whether a quantity must have a figure. Not every provisioner shows the start time of main; any other missing quantity leaves
 * the outcome open.
 */
const isExpected = ({ quantity, from, to }: Comparison): boolean =>
  quantity !== 'start' || from !== undefined || to !== undefined;

function compareQuantity(quantity: Quantity, trials: UpgradeTrial[]): Comparison {
  const { stage, of } = QUANTITIES[quantity];
  const known = trials.flatMap((t) => {
    const isUsable = t.stage === stage && t.failed === undefined && t.disturbed === undefined;
    const value = isUsable ? of(t) : undefined;
    return value !== undefined && value > 0 ? [{ side: t.side, value }] : [];
  });
  const values = known.map(({ side, value }) => ({ levels: [side === 'to'], value }));
  const [ratio] = estimateEffects(values);
  const mean = (side: string) => {
    const its = known.filter((k) => k.side === side).map((k) => k.value);
    return its.length > 0 ? geometricMean(its) : undefined;
  };
  const [from, to] = [mean('from'), mean('to')];
  const finding = judgeRatio(QUANTITIES[quantity], ratio);
  // One of several quantities seems worse by chance more often than one alone.
  const [sure] = estimateEffects(values, bonferroniConfidence(Object.keys(QUANTITIES).length));
  const isByChance = finding === 'worse' && judgeRatio(QUANTITIES[quantity], sure) !== 'worse';
  return {
    quantity,
    finding: isByChance ? 'open' : finding,
    ...(ratio && { ratio }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

function judgeRatio({ more, matters }: Measured, ratio: Ratio | undefined): UpgradeFinding {
  if (!ratio) return 'open';
  if (ratio.most <= 1 + matters && ratio.least >= 1 / (1 + matters)) return 'same';
  // A certain difference that may be too small to matter stays open.
  const [isMore, isLess] = [
    ratio.least > 1 && ratio.ratio > 1 + matters,
    ratio.most < 1 && ratio.ratio < 1 / (1 + matters),
  ];
  if (isMore) return more ? 'better' : 'worse';
  if (isLess) return more ? 'worse' : 'better';
  return 'open';
}

/** What the upgrade on the same database lost; undefined if no loss is known. */
export function describeLoss(survival: Survival | undefined): string | undefined {
  if (survival?.failed !== undefined) return survival.failed;
  const { before = {}, after = {} } = survival ?? {};
  const missing = Object.entries(before).filter(([table, rows]) => (after[table] ?? 0) < rows);
  if (missing.length === 0) return undefined;
  return missing
    .map(([table, rows]) => `${rows - (after[table] ?? 0)} of ${rows} rows of ${table} are lost`)
    .join(', ');
}

const sentence = ({ quantity, ratio }: Comparison): string =>
  `${NAMES[quantity]} ${quantity === 'throughput' ? formatChangeInterval(ratio!) : formatChange(ratio!.ratio)}`;
