import pc from 'picocolors';
import { outcomeOfLoad, type CompareConclusion, type LoadComparison } from '../judge/compare.js';
import type { ComparisonOutcome } from '../judge/compare-latency.js';
import type { Column } from '../../../report/columns.js';
import {
  DIFFERENCE_COLUMNS,
  failureReasons,
  LOAD_COLUMNS,
  NO_DIFFERENCE,
  noiseLine,
  NOTHING_COMPARED,
  OUTCOME_OF_B,
} from './facts.js';
import { textTable } from '../../../report/terminal/table.js';

const COLOUR: Record<ComparisonOutcome, (text: string) => string> = {
  better: pc.green,
  worse: pc.red,
  tie: String,
  unknown: pc.yellow,
};

/** The differences between the runs, a line for each load, loads that cannot be compared, and the answer last. */
export function formatComparison(conclusion: CompareConclusion): string {
  const { a, b, outcome, loads, notComparable, noise, warnings, differences } = conclusion;
  const blocks = [
    `A: ${a}\nB: ${b}`,
    differences.length === 0 ? NO_DIFFERENCE : textTable(DIFFERENCE_COLUMNS, differences),
    ...warnings.map((text) => `${pc.yellow('warning')} ${text}`),
    noiseLine(noise),
    ...(loads.length > 0 ? [textTable(COLUMNS, loads)] : []),
    ...failureReasons(loads).map(({ load, reason }) => `${load}: ${reason}`),
    ...notComparable.map(({ load, reason }) => `${pc.yellow('not comparable')} ${load}: ${reason}`),
    outcome ? COLOUR[outcome](OUTCOME_OF_B[outcome]) : pc.yellow(NOTHING_COMPARED),
  ];
  return `\n${blocks.join('\n\n')}\n`;
}

/** The outcome, last, in its colour. */
const COLUMNS: Column<LoadComparison>[] = LOAD_COLUMNS.map((column) =>
  column === LOAD_COLUMNS.at(-1)
    ? { ...column, cell: (load) => COLOUR[outcomeOfLoad(load)](column.cell(load)) }
    : column,
);
