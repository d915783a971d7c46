import { formatNumber, formatRate, formatHours } from '../../core/formats.js';
import type { ConfirmConclusion, ConfirmedLoad, ConfirmedRate, ConfirmRecord, ConfirmTry } from './record.js';
import type { Drift } from '../../model/reports.js';
import { worst, type JudgedStep, type LoadVerdict, type RunVerdict, type Verdict } from '../../model/verdict.js';
import { why } from '../../judge/conclusion.js';
import { judgeOutcomes } from '../../judge/outcomes.js';
import { capacityInterval, type CapacityInterval } from '../../stats/logistic.js';

/** The steps of one fresh deployment at one load. */
export interface DeploymentResult {
  load: string;
  /** From 1. */
  deployment: number;
  steps: JudgedStep[];
  /** Why the whole run failed though its steps held: an instance died between two of them. */
  failed?: string;
}

/** A judged soak of one load. */
export interface SoakResult {
  load: string;
  seconds: number;
  verdict: RunVerdict;
}

/** Results of a confirmation's runs so far. */
export interface ConfirmResults {
  deployments: DeploymentResult[];
  soaks: SoakResult[];
}

/** The verdict on a confirmation, from what its runs showed; the worst verdict of its loads counts. */
export function judgeConfirm(
  record: ConfirmRecord,
  shown: ConfirmResults,
): Pick<ConfirmConclusion, 'verdict' | 'loads'> {
  const loads = record.rates.map((rate) => judgeLoad(record, rate, shown));
  return { verdict: worst(loads.map((l) => l.verdict)), loads };
}

/**
 * PASS if every fresh deployment held the target × headroom and the target, and the soak passed; FAIL if one rate broke in one
 * deployment, or the soak failed; else INCONCLUSIVE.
 */
function judgeLoad(record: ConfirmRecord, asked: ConfirmedRate, shown: ConfirmResults): ConfirmedLoad {
  const tries = shown.deployments.filter((d) => d.load === asked.load).flatMap((d) => judgeTries(d, asked, record));
  const soak = shown.soaks.filter((s) => s.load === asked.load).map((s) => judgeConfirmSoak(s, record.soakSeconds))[0];
  const capacity = capacityInterval([
    ...record.before.filter((b) => b.load === asked.load),
    ...tries.flatMap(({ rate, outcome }) => (outcome === 'open' ? [] : [{ rate, held: outcome === 'held' }])),
  ]);
  const verdict = loadVerdict(record, tries, soak);
  const base = { ...asked, verdict, tries, ...(soak && { soak }), capacity };
  return { ...base, conclusion: describeConfirmedLoad(base, record) };
}

function judgeTries(
  { deployment, steps, failed }: DeploymentResult,
  asked: ConfirmedRate,
  { plan }: ConfirmRecord,
): ConfirmTry[] {
  const outcomes = judgeOutcomes(steps, plan);
  return [...new Set([asked.target, asked.withHeadroom])].map((rate) => {
    const outcome = outcomes.get(rate);
    if (failed !== undefined && rate === asked.withHeadroom)
      return { deployment, rate, outcome: 'broken', why: failed };
    if (outcome === undefined) return { deployment, rate, outcome: 'open', why: 'it was not tried' };
    const at = steps.filter((s) => s.step.rate === rate && s.judged.verdict !== 'PASS');
    const telling = at.findLast((s) => s.judged.verdict === 'FAIL') ?? at.at(-1);
    return { deployment, rate, outcome, ...(outcome !== 'held' && telling && { why: why(telling) }) };
  });
}

/** Share of the requested length. A shorter soak counts as interrupted. */
const COMPLETE_SOAK_SHARE = 0.99;

/** Seconds of a soak that can judge the size of the tables: n8n deletes old executions only once an hour. */
const MIN_ROWS_SOAK_SECONDS = 2 * 3600;

/**
 * A soak as `confirm` judges it: its rate is proved for its whole length, and nothing grows so fast that it would reach its
 * limit within the horizon. A soak of half an hour or more proves that. A shorter one only extrapolates the growth that it saw.
 */
function judgeConfirmSoak(
  { seconds, verdict: { loads, soak } }: SoakResult,
  asked: number,
): NonNullable<ConfirmedLoad['soak']> {
  const [load] = loads as [LoadVerdict];
  const text = (drifts: Drift[]) => drifts.map((d) => d.text).join('; ');
  const of = (verdict: Verdict, conclusion: string) => ({ verdict, conclusion, seconds });
  if (load.verdict !== 'PASS') return of(load.verdict === 'CAPACITY' ? 'INCONCLUSIVE' : load.verdict, load.conclusion);
  if (!soak) return of('INCONCLUSIVE', 'growth was not judged');
  if (seconds < COMPLETE_SOAK_SHARE * asked) {
    const lasted = `${formatHours(seconds / 3600)} of ${formatHours(asked / 3600)}`;
    return of('INCONCLUSIVE', `the soak was ended after ${lasted}; remove its folder, and run confirm again`);
  }
  const { horizonSeconds } = soak;
  const drifts = soak.drifts.filter((d) => d.of !== 'rows' || seconds >= MIN_ROWS_SOAK_SECONDS);
  const drifting = drifts.filter((d) => d.verdict === 'drifts');
  if (drifting.length > 0) return of('FAIL', text(drifting));
  const hours = horizonSeconds / 3600;
  const short = drifts.filter((d) => d.verdict === 'too-short' || (d.hoursToLimit ?? Infinity) <= hours);
  if (short.length > 0 || drifts.length === 0) return of('INCONCLUSIVE', text(short) || 'nothing was measured');
  const horizon = formatHours(hours);
  if (drifts.every((d) => d.verdict === 'stable')) return of('PASS', `no limit is reached within ${horizon}`);
  return of('PASS', `at the growth seen, no limit is reached within ${horizon}; a longer soak is needed to prove it`);
}

function loadVerdict({ deployments }: ConfirmRecord, tries: ConfirmTry[], soak: ConfirmedLoad['soak']): Verdict {
  if (tries.some((t) => t.outcome === 'broken') || soak?.verdict === 'FAIL') return 'FAIL';
  const isComplete = new Set(tries.map((t) => t.deployment)).size === deployments;
  const held = isComplete && tries.every((t) => t.outcome === 'held');
  return held && soak?.verdict === 'PASS' ? 'PASS' : 'INCONCLUSIVE';
}

type LoadWithoutConclusion = Omit<ConfirmedLoad, 'conclusion'>;

function describeConfirmedLoad(load: LoadWithoutConclusion, record: ConfirmRecord): string {
  const { target, withHeadroom, soak, tries, verdict } = load;
  const parts = [
    `${formatRate(target)} with headroom ${formatNumber(record.headroom)} (${formatRate(withHeadroom)}) held in ${countHoldingDeployments(load)} of ${record.deployments} fresh deployments${undecidedOrBrokenText(tries)}`,
    soakText(soak, verdict, withHeadroom),
    `capacity ${intervalText(load.capacity)}`,
  ];
  return parts.join('; ');
}

/** Fresh deployments that held every rate. */
function countHoldingDeployments({ tries }: LoadWithoutConclusion): number {
  const all = [...new Set(tries.map((t) => t.deployment))];
  return all.filter((n) => tries.every((t) => t.deployment !== n || t.outcome === 'held')).length;
}

function undecidedOrBrokenText(tries: ConfirmTry[]): string {
  const telling = tries.find((t) => t.outcome === 'broken') ?? tries.find((t) => t.outcome === 'open');
  if (!telling) return '';
  const what = telling.outcome === 'broken' ? 'does not hold' : 'is not decided';
  return ` (${formatRate(telling.rate)} ${what} in deployment ${telling.deployment}${telling.why === undefined ? '' : `: ${telling.why}`})`;
}

function soakText(soak: ConfirmedLoad['soak'], verdict: Verdict, rate: number): string {
  if (!soak) return verdict === 'FAIL' ? 'no soak, as a rate did not hold' : 'no soak yet';
  const length = formatHours(soak.seconds / 3600);
  if (soak.verdict === 'PASS') return `held for ${length} in a soak at ${formatRate(rate)} (${soak.conclusion})`;
  return `the soak of ${length} at ${formatRate(rate)} is ${soak.verdict}: ${soak.conclusion}`;
}

/** A 90 % interval of a capacity in words. */
function intervalText({ low, high }: CapacityInterval): string {
  if (low === undefined && high === undefined) return 'unknown: nothing was decided';
  if (high === undefined) return `${formatRate(low!)} or more, at 95 % confidence: nothing that was tried broke it`;
  if (low === undefined) return `below ${formatRate(high)}, at 95 % confidence: nothing that was tried held`;
  return `${formatNumber(low)} to ${formatRate(high)} (90 % interval)`;
}
