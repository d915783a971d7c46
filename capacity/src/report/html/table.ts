import type { Column } from '../columns.js';
import { html, type Html } from '../markup.js';
import { explainedWord, explanationAttributes } from './terms.js';

/** A column in HTML; `Html` from a cell stands as it is. */
export interface HtmlColumn<Row> extends Omit<Column<Row>, 'cell'> {
  cell: (row: Row) => string | number | Html;
  /** Names the row; without one the first column does. */
  isRowHeader?: true;
  /** A button in the head sorts by this; undefined values come last. */
  sortValue?: (row: Row) => string | number | undefined;
}

export interface TableOptions<Row> {
  /** For a reader who cannot see the table. */
  label: string;
  columns: HtmlColumn<Row>[];
  rows: Row[];
  /** How to read it, under the table. */
  caption?: string;
  className?: string;
  rowClass?: (row: Row) => string;
  rowId?: (row: Row) => string;
  /** Lines under a row, across the table. */
  below?: (row: Row) => string[];
}

/** A table that scrolls sideways where the page is too narrow for it; one body for each row, so that rows can be sorted. */
export function table<Row>(options: TableOptions<Row>): Html {
  const { columns, rows, caption, className } = options;
  return scrolling(
    options.label,
    html`<table class="${className ?? ''}">
      ${caption !== undefined && renderCaption(caption)}
      <thead>
        <tr>
          ${columns.map((column) => renderHead(column, column === columns[0] && column === rowHeader(columns)))}
        </tr>
      </thead>
      ${rows.map((row) => renderBody(row, options))}
    </table>`,
  );
}

/** A region around a table that scrolls sideways. */
export const scrolling = (label: string, content: Html): Html =>
  html`<div class="scroll" role="region" tabindex="0" aria-label="${label}">${content}</div>`;

/** A caption that is as wide as the page, whatever the width of its table. */
const renderCaption = (text: string): Html =>
  html`<caption>
    <div>${text}</div>
  </caption>`;

/** The column that names the row. */
const rowHeader = <Row>(columns: HtmlColumn<Row>[]) => columns.find((c) => c.isRowHeader) ?? columns[0];

function renderHead<Row>({ head: name, isText, sortValue }: HtmlColumn<Row>, isLeft: boolean): Html {
  const content = sortValue
    ? html`<button type="button" data-sort ${explanationAttributes(name)}>${name}</button>`
    : explainedWord(name);
  return html`<th scope="col" class="${(isText ?? isLeft) ? 'text' : ''}">${content}</th>`;
}

function renderBody<Row>(row: Row, { columns, rowClass, rowId, below }: TableOptions<Row>): Html {
  const lines = below?.(row) ?? [];
  const header = rowHeader(columns);
  const id = rowId?.(row);
  return html`<tbody class="${rowClass?.(row) ?? ''}" ${id !== undefined && html`id="${id}"`}>
    <tr>
      ${columns.map((column) => renderCell(column, row, column === header))}
    </tr>
    ${lines.length > 0 && linesBelow(lines, columns.length)}
  </tbody>`;
}

function renderCell<Row>(column: HtmlColumn<Row>, row: Row, isHeader: boolean): Html {
  const note = column.note?.(row);
  const content = html`${column.cell(row)}${note !== undefined && html` <small>${note}</small>`}`;
  const kind = column.isText ? html`class="text"` : undefined;
  const value = column.sortValue && html`data-value="${column.sortValue(row)}"`;
  return isHeader ? html`<th scope="row" ${kind} ${value}>${content}</th>` : html`<td ${kind} ${value}>${content}</td>`;
}

const linesBelow = (lines: string[], columns: number): Html =>
  html`<tr class="reasons">
    <td></td>
    <td colspan="${columns - 1}" class="text">
      <ul>
        ${lines.map((line) => html`<li>${line}</li>`)}
      </ul>
    </td>
  </tr>`;
