import { exposureText } from '../../../chart/exposure-text.js';
import { formatNumber, formatRate } from '../../../core/formats.js';
import type { FaultRow, FaultsConclusion } from '../record.js';
import { FAULT_COLUMNS, faultDetails } from './facts.js';
import { COLOURS, labelledLine, textTable, verdictLine } from '../../../report/terminal/table.js';

/** One line for a fault that was just tried. */
export function faultLine({ fault, verdict, reasons, accounts }: FaultRow): string {
  if (!accounts || verdict === 'INCONCLUSIVE') return `${fault}: ${verdict}, ${reasons.join('; ')}`;
  const { outcomes, told } = accounts;
  const counts = Object.entries(outcomes).filter(([, n]) => n > 0);
  return `${fault}: ${verdict}, ${told.accepted} accepted: ${counts.map(([outcome, n]) => `${n} ${outcome}`).join(', ')}`;
}

/** A row for each fault, the details of each, then the answer. */
export function formatFaults({
  verdict,
  answer,
  rows,
  askedWhy,
  exposure,
  rate,
  workSeconds,
  folder,
}: FaultsConclusion): string {
  const columns = [
    ...FAULT_COLUMNS,
    { head: 'Verdict', isText: true as const, cell: (row: FaultRow) => COLOURS[row.verdict](row.verdict) },
  ];
  const details = rows.flatMap((row) => [`${row.fault}:`, ...faultDetails(row).map((detail) => `  ${detail}.`)]);
  const lines = [
    verdictLine(verdict, answer),
    labelledLine('', `sent at ${formatRate(rate)}, executions of ${formatNumber(workSeconds)} s`),
    ...(askedWhy === undefined ? [] : [labelledLine('n8n:', askedWhy)]),
    ...(exposure ? [labelledLine('', exposureText(exposure))] : []),
    labelledLine('Record:', folder),
  ];
  return `\n${textTable(columns, rows)}\n\n${details.join('\n')}\n\n${lines.join('\n')}\n`;
}
