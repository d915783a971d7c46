import { fits } from './cells.js';
import { cellNumber, cellText, MEASURES, significant } from './measures.js';
import type { CellFilter, ExperimentClaim } from './spec.js';
import type { CellRecord } from './types.js';

/** A claim with what was measured. */
export interface JudgedClaim {
  claim: ExperimentClaim;
  verdict: 'holds' | 'fails' | 'not measured';
  /** The ratio, or the value that is nearest to breaking the claim; absent of an outcome. */
  value?: number;
  /** What was measured, for people. */
  measured: string;
}

/** Judges each claim of an experiment from its record. */
export const judgeClaims = (claims: ExperimentClaim[], cells: CellRecord[]): JudgedClaim[] =>
  claims.map((claim) => ({ claim, ...judge(claim, cells) }));

function judge(claim: ExperimentClaim, cells: CellRecord[]): Omit<JudgedClaim, 'claim'> {
  const found = matching(cells, claim.of);
  if (found.length === 0) return { verdict: 'not measured', measured: 'no such cell on this grid' };
  if (claim.is) {
    const wrong = found.find((cell) => !claim.is!.includes(cellText(claim.measure, cell)));
    const texts = [...new Set(found.map((cell) => cellText(claim.measure, cell)))].join(', ');
    return { verdict: wrong ? 'fails' : 'holds', measured: texts };
  }
  if (claim.over) return judgeRatio(claim, found, matching(cells, claim.over));
  const values = found.map((cell) => cellNumber(claim.measure, cell));
  if (values.includes(undefined)) return { verdict: 'not measured', measured: 'a cell without that figure' };
  const value = nearest(values as number[], claim);
  return { verdict: within(value, claim), value, measured: MEASURES[claim.measure]!.text(value) };
}

function judgeRatio(claim: ExperimentClaim, of: CellRecord[], over: CellRecord[]): Omit<JudgedClaim, 'claim'> {
  if (over.length === 0) return { verdict: 'not measured', measured: 'no such cell on this grid' };
  const means = [of, over].map((side) => mean(side.map((cell) => cellNumber(claim.measure, cell))));
  const [above, below] = means;
  if (above === undefined || below === undefined || below === 0)
    return { verdict: 'not measured', measured: 'a cell without that figure' };
  const text = MEASURES[claim.measure]!.text;
  return {
    verdict: within(above / below, claim),
    value: above / below,
    measured: `${significant(above / below)} × (${text(above)} against ${text(below)})`,
  };
}

const matching = (cells: CellRecord[], filter: CellFilter) => cells.filter((cell) => fits(cell, filter));

/** Undefined when one of them is. */
function mean(values: (number | undefined)[]): number | undefined {
  if (values.includes(undefined)) return undefined;
  return (values as number[]).reduce((a, b) => a + b, 0) / values.length;
}

const nearest = (values: number[], { atLeast }: ExperimentClaim): number =>
  atLeast === undefined ? Math.max(...values) : Math.min(...values);

const within = (value: number, { atLeast = -Infinity, atMost = Infinity }: ExperimentClaim) =>
  value >= atLeast && value <= atMost ? 'holds' : 'fails';
