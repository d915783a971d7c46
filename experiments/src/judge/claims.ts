import { median } from 'simple-statistics';
import type { CellRecord } from '../record/schema.js';
import { fits } from '../spec/cells.js';
import type { CellFilter, ExperimentClaim } from '../spec/schema.js';
import { cellNumber, cellText, MEASURES, significant } from './measures.js';

/** A claim with its result. */
export interface JudgedClaim {
  claim: ExperimentClaim;
  verdict: 'holds' | 'fails' | 'not measured';
  /** The ratio, or the value closest to breaking the claim; undefined for an outcome. */
  value?: number;
  /** The result, for people. */
  measured: string;
}

type Judged = Omit<JudgedClaim, 'claim'>;

/** Above this share of failed requests, a rate or a latency proves no claim. */
const MOST_FAILED = 0.01;

/** Judges each claim of an experiment from its record. */
export const judgeClaims = (claims: ExperimentClaim[], cells: CellRecord[]): JudgedClaim[] =>
  claims.map((claim) => ({ claim, ...judge(claim, cells) }));

function judge(claim: ExperimentClaim, cells: CellRecord[]): Judged {
  const of = cells.filter((cell) => fits(cell, claim.of));
  const over = claim.over && cells.filter((cell) => fits(cell, claim.over as CellFilter));
  if (of.length === 0 || over?.length === 0) return notMeasured('no cell');
  const unusable = [...of, ...(over ?? [])].map((cell) => whyUnusable(claim, cell)).find((why) => why !== undefined);
  if (unusable !== undefined) return notMeasured(unusable);
  if (claim.is) return judgeOutcomes(claim, of);
  return over ? judgeRatios(claim, of, over) : judgeValues(claim, of);
}

const notMeasured = (measured: string): Judged => ({ verdict: 'not measured', measured });

/** Why a cell's figure cannot prove the claim; undefined if it can. */
function whyUnusable({ measure, mayFail }: ExperimentClaim, cell: CellRecord): string | undefined {
  if (cell.load?.problem !== undefined) return cell.load.problem;
  if (cellText(measure, cell) === '–') return 'a cell has no such figure';
  const isOfLoad = ['rate', 'answered', 'requests', 'p50', 'p95', 'p99'].includes(measure);
  const failed = cellNumber('failedShare', cell) ?? 1;
  if (isOfLoad && !mayFail && failed > MOST_FAILED) return `${Math.round(failed * 100)} % of its requests failed`;
  return undefined;
}

function judgeOutcomes({ measure, is = [] }: ExperimentClaim, cells: CellRecord[]): Judged {
  const texts = [...new Set(cells.map((cell) => cellText(measure, cell)))];
  return { verdict: texts.every((text) => is.includes(text)) ? 'holds' : 'fails', measured: texts.join(', ') };
}

function judgeValues(claim: ExperimentClaim, cells: CellRecord[]): Judged {
  const values = cells.map((cell) => cellNumber(claim.measure, cell)!);
  const { text } = MEASURES[claim.measure]!;
  const worst = values.find((value) => !isWithin(value, claim)) ?? nearest(values, claim);
  return { verdict: isWithin(worst, claim) ? 'holds' : 'fails', value: worst, measured: text(worst) };
}

/** Several runs give a ratio each: their median counts, and the bound must lie outside their spread. */
function judgeRatios(claim: ExperimentClaim, of: CellRecord[], over: CellRecord[]): Judged {
  if (of.length !== over.length) return notMeasured(`${of.length} cells compared with ${over.length}`);
  const value = (cell: CellRecord) => cellNumber(claim.measure, cell)!;
  const ratios = of.map((cell, i) => value(cell) / value(over[i]!)).sort((a, b) => a - b);
  if (!ratios.every(Number.isFinite)) return notMeasured('a ratio to zero');
  const ratio = median(ratios);
  const { text } = MEASURES[claim.measure]!;
  const sides = `${text(median(of.map(value)))} against ${text(median(over.map(value)))}`;
  if (ratios.length === 1)
    return {
      verdict: isWithin(ratio, claim) ? 'holds' : 'fails',
      value: ratio,
      measured: `${significant(ratio)} × (${sides})`,
    };
  const [least, most] = [ratios[0]!, ratios.at(-1)!];
  const measured = `${significant(ratio)} × (${sides}; ${ratios.length} runs: ${significant(least)} to ${significant(most)})`;
  if (isWithin(least, claim) !== isWithin(most, claim)) return { verdict: 'not measured', value: ratio, measured };
  return { verdict: isWithin(ratio, claim) ? 'holds' : 'fails', value: ratio, measured };
}

const nearest = (values: number[], { atLeast }: ExperimentClaim): number =>
  atLeast === undefined ? Math.max(...values) : Math.min(...values);

const isWithin = (value: number, { atLeast = -Infinity, atMost = Infinity }: ExperimentClaim): boolean =>
  value >= atLeast && value <= atMost;
