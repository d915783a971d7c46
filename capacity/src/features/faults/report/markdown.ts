import { exposureText } from '../../../chart/exposure-text.js';
import { formatRate, formatNumber } from '../../../core/formats.js';
import { blocks, text, code, table } from '../../../report/markdown.js';
import type { FaultRow, FaultsConclusion } from '../record.js';
import { FAULT_COLUMNS, faultDetails } from './facts.js';

/** A run of `faults` as GitHub-flavoured Markdown: the answer, a row for each fault, and the details of each. */
export function faultsAsMarkdown({
  verdict,
  answer,
  rows,
  askedWhy,
  exposure,
  rate,
  workSeconds,
  folder,
}: FaultsConclusion): string {
  return blocks(
    `## n8n-capacity faults: ${verdict}`,
    askedWhy !== undefined && `**${text(askedWhy)}.**`,
    `**${text(answer)}.** Sent at ${formatRate(rate)}, executions of ${formatNumber(workSeconds)} s.`,
    exposure && `${text(exposureText(exposure))}.`,
    faultsTable(rows),
    faultsList(rows),
    `Record: ${code(folder)}`,
  );
}

/** A row for each fault, with its verdict. */
export const faultsTable = (rows: FaultRow[]): string =>
  table([...FAULT_COLUMNS, { head: 'Verdict', isText: true, cell: ({ verdict }) => verdict }], rows);

/** The details of each fault. */
export const faultsList = (rows: FaultRow[]): string =>
  rows.map((row) => `- **${row.fault}**: ${faultDetails(row).map(text).join('. ')}.`).join('\n');
