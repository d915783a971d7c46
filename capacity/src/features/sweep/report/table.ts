import type { SweepRow } from '../record.js';
import { statusReason, sweepColumns } from './columns.js';
import { html, type Html } from '../../../report/markup.js';
import { verdictOfStatus } from './words.js';
import { pill, word } from '../../../report/html/summary.js';
import { table, type HtmlColumn } from '../../../report/html/table.js';
import type { SweepReport } from './facts.js';

/** One row for each configuration, with its cost, the rate that it sustains, and its reason; sorts by any column. */
export const configurationTable = (report: SweepReport): Html =>
  table({
    label: 'Configurations',
    className: 'steps',
    rowClass: ({ status }) => verdictOfStatus(status)?.toLowerCase() ?? '',
    rowId: ({ id }) => `configuration-${id}`,
    columns: columns(report),
    rows: report.conclusion.rows,
    below: (row) => [statusReason(row)],
    caption: CAPTION,
  });

const CAPTION =
  'Cores and memory are the limits of all pods. Per million: executions at the sustained rate. Dominated: stopped early because a cheaper configuration sustains as much; its rate is a lower bound. Ruled out: the result follows from other measurements. Excluded: refused by the chart or by arithmetic. Open: not measured yet. A missing rate of the last three is not a rate of 0. Click the head of a column to sort by it.';

function columns({ record, conclusion, runs }: SweepReport): HtmlColumn<SweepRow>[] {
  const { cores, memory, cost, capacity, perMillion, status } = sweepColumns(record.plan.prices.currency);
  return [
    { head: '#', isText: true, cell: ({ id }) => reportLink(id, runs.get(id)?.report), sortValue: ({ id }) => id },
    ...Object.entries(record.plan.dimensions).map(([name, values]): HtmlColumn<SweepRow> => ({
      head: name,
      cell: (row) => String(row.values[name]),
      sortValue: (row) => values.indexOf(row.values[name]!),
    })),
    { ...cores, sortValue: (row) => row.cost?.cores },
    { ...memory, sortValue: (row) => row.cost?.memoryGib },
    { ...cost, sortValue: (row) => row.cost?.perHour },
    { ...capacity, sortValue: (row) => row.capacity },
    { ...perMillion, sortValue: (row) => row.perMillion },
    {
      ...status,
      cell: (row) => html`${statusWord(row, status.cell(row))} ${rowMark(row, conclusion.cheapest?.id)}`,
      sortValue: (row) => row.status,
    },
  ];
}

/** The number of a configuration, with a link to the report of its run. */
function reportLink(id: string, report: string | undefined): Html {
  const number = /^\d+/.exec(id)?.[0] ?? id;
  return report === undefined ? html`${number}` : html`<a href="${encodeURI(report)}">${number}</a>`;
}

const statusWord = ({ status }: SweepRow, text: string): Html =>
  verdictOfStatus(status) ? word(text) : html`<span>${text}</span>`;

function rowMark({ id, onFront }: SweepRow, cheapest: string | undefined): Html | undefined {
  if (id === cheapest) return pill('cheapest that held');
  return onFront ? pill('on the front') : undefined;
}
