import { mean, median } from 'simple-statistics';
import type { CellRecord } from '../record/schema.js';
import { isMatch } from '../spec/cells.js';
import type { CellFilter, ExperimentClaim } from '../spec/schema.js';
import { cellNumber, cellText, MEASURES, formatSignificant } from './measures.js';
import { failureShare, isLoadMeasure, requiredAnswers, MAX_FAILED_SHARE, inconclusiveReason } from './usable.js';

/** A claim with its result. */
export interface JudgedClaim {
  claim: ExperimentClaim;
  /** INCONCLUSIVE: the cells were measured, but cannot decide the claim. */
  verdict: 'holds' | 'fails' | 'INCONCLUSIVE' | 'not measured';
  /** The ratio, or the value closest to breaking the claim; undefined for an outcome. */
  value?: number;
  /** The result as text, or the reason why there is none. */
  measured: string;
  /** The two sides of a ratio as text; medians if there are several runs. */
  sides?: { of: string; over: string };
}

type ClaimResult = Omit<JudgedClaim, 'claim'>;

/** Judges each claim of an experiment from its record. */
export const judgeClaims = (claims: ExperimentClaim[], cells: CellRecord[]): JudgedClaim[] =>
  claims.map((claim) => ({ claim, ...judgeClaim(claim, cells) }));

function judgeClaim(claim: ExperimentClaim, cells: CellRecord[]): ClaimResult {
  const of = cells.filter((cell) => isMatch(cell, claim.of));
  const over = claim.over && cells.filter((cell) => isMatch(cell, claim.over as CellFilter));
  if (of.length === 0 || over?.length === 0) return { verdict: 'not measured', measured: '–' };
  const unusable = [...of, ...(over ?? [])].map((cell) => unusableReason(claim, cell)).find((why) => why !== undefined);
  if (unusable !== undefined) return refuteByUsableCells(claim, of) ?? inconclusiveResult(unusable);
  return over ? judgeRatios(claim, of, over) : judgeEach(claim, of);
}

/** The verdict on a claim about every cell that one usable cell refutes; undefined if none does. Other cells cannot change it. */
function refuteByUsableCells(claim: ExperimentClaim, of: CellRecord[]): ClaimResult | undefined {
  const usable = of.filter((cell) => unusableReason(claim, cell) === undefined);
  if (claim.over || usable.length === 0) return undefined;
  const judged = judgeEach(claim, usable);
  return judged.verdict === 'fails' ? judged : undefined;
}

const judgeEach = (claim: ExperimentClaim, cells: CellRecord[]): ClaimResult =>
  claim.is ? judgeOutcomes(claim, cells) : judgeValues(claim, cells);

const inconclusiveResult = (measured: string): ClaimResult => ({ verdict: 'INCONCLUSIVE', measured });

/** Whether a smaller overload than asked can prove the claim: a larger one would not fail a smaller share of requests. */
const canUseSmallerOverload = ({ measure, atLeast }: Pick<ExperimentClaim, 'measure' | 'atLeast'>): boolean =>
  measure === 'otherwise' && atLeast !== undefined;

const claimFigure = (claim: ExperimentClaim, cell: CellRecord): number | undefined =>
  cellNumber(claim.measure, cell, canUseSmallerOverload(claim));

/** The reason why a cell's figure cannot prove the claim; undefined if it can. */
function unusableReason({ measure, mayFail, atLeast }: ExperimentClaim, cell: CellRecord): string | undefined {
  const why = inconclusiveReason(measure, cell, canUseSmallerOverload({ measure, atLeast }));
  if (why !== undefined) return why;
  const failed = failureShare(cell)?.share ?? 1;
  if (isLoadMeasure(measure) && !mayFail && failed > MAX_FAILED_SHARE)
    return `${Math.round(failed * 100)} % of its requests failed or were dropped`;
  if (cellText(measure, cell) === '–') return 'a cell has no such figure';
  const answers = cell.load?.answered ?? 0;
  const least = requiredAnswers(measure);
  return answers < least ? `a ${measure} from ${answers} answers; at least ${least} are needed` : undefined;
}

function judgeOutcomes({ measure, is = [] }: ExperimentClaim, cells: CellRecord[]): ClaimResult {
  const texts = [...new Set(cells.map((cell) => cellText(measure, cell)))];
  return { verdict: texts.every((text) => is.includes(text)) ? 'holds' : 'fails', measured: texts.join(', ') };
}

function judgeValues(claim: ExperimentClaim, cells: CellRecord[]): ClaimResult {
  // An infinite figure meets no bound, for example that of a deployment that did not return to normal.
  const endless = cells.find((cell) => !Number.isFinite(claimFigure(claim, cell)));
  if (endless) return { verdict: 'fails', measured: cellText(claim.measure, endless) };
  /** Cells with the same digest in several parts are runs of one cell; their mean counts. */
  const runs = (one: CellRecord) => cells.filter(({ digest }) => digest === one.digest);
  const value = (cell: CellRecord) => mean(runs(cell).map((run) => claimFigure(claim, run)!));
  const inOrder = cells.filter((cell) => runs(cell)[0] === cell).sort((a, b) => value(a) - value(b));
  const nearest = claim.atLeast === undefined ? inOrder.at(-1)! : inOrder[0]!;
  const worst = isWithin(value(nearest), claim)
    ? (inOrder.find((cell) => !isWithin(value(cell), claim)) ?? nearest)
    : nearest;
  return {
    verdict: isWithin(value(worst), claim) ? 'holds' : 'fails',
    value: value(worst),
    measured: MEASURES[claim.measure]!.text(value(worst), worst),
  };
}

/** Judges the ratio of each run: the median counts, and a bound within the spread of the runs makes the claim INCONCLUSIVE. */
function judgeRatios(claim: ExperimentClaim, of: CellRecord[], all: CellRecord[]): ClaimResult {
  const value = (cell: CellRecord) => claimFigure(claim, cell)!;
  const over = claim.best ? selectBestCells(claim, all, value) : all;
  if (of.length !== over.length) return inconclusiveResult(`${of.length} cells compared with ${over.length}`);
  const ratios = of.map((cell, i) => value(cell) / value(over[i]!)).sort((a, b) => a - b);
  if (!ratios.every(Number.isFinite)) return inconclusiveResult('division by zero');
  const ratio = median(ratios);
  const { text } = MEASURES[claim.measure]!;
  const sides = { of: text(median(of.map(value))), over: text(median(over.map(value))) };
  const [least, most] = [ratios[0]!, ratios.at(-1)!];
  const spread =
    ratios.length === 1 ? '' : `; ${ratios.length} runs: ${formatSignificant(least)} to ${formatSignificant(most)}`;
  const measured = `${formatSignificant(ratio)} × (${sides.of} against ${sides.over}${spread})`;
  const [lowest, highest] = [claim.atLeast ?? -Infinity, claim.atMost ?? Infinity];
  const isDecided = (isWithin(least, claim) && isWithin(most, claim)) || most < lowest || least > highest;
  if (!isDecided) return { verdict: 'INCONCLUSIVE', value: ratio, measured, sides };
  return { verdict: isWithin(ratio, claim) ? 'holds' : 'fails', value: ratio, measured, sides };
}

/**
 * The cell with the largest value. If `over` lists values of a dimension that `of` does not list, the cells of the listed value
 * with the largest median.
 */
function selectBestCells(
  { of, over = {} }: ExperimentClaim,
  cells: CellRecord[],
  value: (cell: CellRecord) => number,
): CellRecord[] {
  const listed = Object.keys(over).filter((name) => Array.isArray(over[name]) && !Array.isArray(of[name]));
  const groups = new Map<unknown, CellRecord[]>();
  for (const cell of cells) {
    const key = listed.length > 0 ? listed.map((name) => cell.of[name]).join() : cell;
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  const largest = (group: CellRecord[]) => median(group.map(value));
  return [...groups.values()].reduce((a, b) => (largest(b) > largest(a) ? b : a));
}

const isWithin = (value: number, { atLeast = -Infinity, atMost = Infinity }: ExperimentClaim): boolean =>
  value >= atLeast && value <= atMost;
