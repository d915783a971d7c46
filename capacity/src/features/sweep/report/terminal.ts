import pc from 'picocolors';
import { formatPercent } from '../../../core/formats.js';
import type { SweepConclusion, SweepRow } from '../record.js';
import type { Column } from '../../../report/columns.js';
import { statusReason, sweepColumns } from './columns.js';
import { verdictOfStatus, STATUS_WORDS } from './words.js';
import { COLOURS, labelledLine, textTable, verdictLine } from '../../../report/terminal/table.js';

/** A row for each configuration, then the answer and the paths of the values and the report. */
export function formatSweep(conclusion: SweepConclusion): string {
  const { name, verdict, answer, rows, cheapest, confidence, noise, report } = conclusion;
  const lines = [
    verdictLine(verdict, `${name}: ${answer}`),
    ...(confidence ? [labelledLine('', `${confidence.word}: ${confidence.text}`)] : []),
    ...(noise
      ? [
          labelledLine(
            '',
            `tie: rates within ${formatPercent(noise.rate)}, the noise of ${noise.runs} runs of one configuration`,
          ),
        ]
      : []),
    ...(cheapest ? [labelledLine('Values:', cheapest.values)] : []),
    labelledLine('Report:', report),
  ];
  return `\n${textTable(columns(rows), rows)}\n\n${lines.join('\n')}\n`;
}

function columns(rows: SweepRow[]): Column<SweepRow>[] {
  const { cores, memory, cost, capacity, perMillion, status } = sweepColumns('Cost');
  const dimensions = Object.keys(rows[0]?.values ?? {}).map((head) => ({
    head,
    cell: (row: SweepRow) => String(row.values[head]),
  }));
  return [...dimensions, cores, memory, cost, capacity, perMillion, { ...status, cell: statusText }];
}

function statusText(row: SweepRow): string {
  const { status } = row;
  const verdict = verdictOfStatus(status);
  const colour = verdict ? COLOURS[verdict] : status === 'measured' ? String : pc.dim;
  const isLeftOut = status === 'excluded' || status === 'ruled-out';
  return colour(isLeftOut ? `${STATUS_WORDS[status]}: ${firstLine(statusReason(row))}` : STATUS_WORDS[status]);
}

/** Characters of a reason in the table. */
const MAX_REASON = 90;

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON - 1)}…` : line;
}
