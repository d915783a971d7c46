import Table from 'cli-table3';
import pc from 'picocolors';
import type { Answer } from '../../model/verdict.js';
import { cellText, type Column } from '../columns.js';

/** Colours of the verdicts. */
export const COLOURS: Record<Answer, (text: string) => string> = {
  PASS: pc.green,
  CAPACITY: pc.green,
  FAIL: pc.red,
  INCONCLUSIVE: pc.yellow,
};

/** Width of a verdict and of the labels below it: `INCONCLUSIVE ` is the longest. */
const LABEL_WIDTH = 13;

/** A label, then text that is aligned with that of the other lines. */
export const labelledLine = (label: string, text: string): string => `${label.padEnd(LABEL_WIDTH)}${text}`;

/** A coloured verdict, then text that is aligned with that of the other lines. */
export const verdictLine = (verdict: Answer, text: string): string =>
  `${COLOURS[verdict](verdict.padEnd(LABEL_WIDTH - 1))} ${text}`;

const NO_LINES = Object.fromEntries(
  ['top', 'bottom', 'mid', 'left', 'right']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map((name) => [name, '']),
);
const BORDERLESS = { ...NO_LINES, left: '  ', middle: '  ' };

/** Columns of a table, without lines between them; a column with a width wraps at words. */
export function textTable<Row>(columns: (Column<Row> & { width?: number })[], rows: Row[]): string {
  const table = new Table({
    head: columns.map(({ head }) => head),
    style: { head: [], border: [], compact: true },
    chars: BORDERLESS,
    colAligns: columns.map(({ isText }) => (isText ? 'left' : 'right')),
    colWidths: columns.map(({ width }) => width ?? null),
    wordWrap: true,
  });
  for (const row of rows) table.push(columns.map((column) => cellText(column, row)));
  return table.toString();
}
